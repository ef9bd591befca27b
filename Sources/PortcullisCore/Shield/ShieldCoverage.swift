/// The shields that are up, and their effect on each token.
public struct ShieldCoverage: Hashable, Sendable {
    /// The effect of a shield on a token.
    public enum State: Hashable, Sendable {
        /// The app cannot start. If it was running, it is stopped.
        case gated
        /// The app can still start, but it is stopped right after the start.
        case reactive
        /// The token matches no app on this machine. If a matching app is installed later, that app is shut
        /// from then on.
        case unresolved
        /// The token names an app that is never shielded. The text says why.
        case refused(reason: String)
    }

    /// The shields that are up, with the selections that were applied.
    public var applied: [ShieldName: ShieldSelection]
    /// The state of each app token that a shield names.
    public var apps: [AppToken: State]
    /// The state of each category token that a shield names. A category with at least one reactive app is
    /// ``State/reactive``. A category with gated apps and no reactive app is ``State/gated``.
    public var categories: [CategoryToken: State]

    /// Makes a coverage from these parts.
    public init(
        applied: [ShieldName: ShieldSelection] = [:],
        apps: [AppToken: State] = [:],
        categories: [CategoryToken: State] = [:]
    ) {
        self.applied = applied
        self.apps = apps
        self.categories = categories
    }
}
