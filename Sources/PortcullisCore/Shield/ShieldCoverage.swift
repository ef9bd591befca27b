/// What is in force.
public struct ShieldCoverage: Hashable, Sendable {
    /// How far a token is covered.
    public enum State: Hashable, Sendable {
        /// Its start is denied, and what ran is stopped.
        case gated
        /// It can start and is stopped then.
        case reactive
        /// It names nothing here; an app that is installed later counts from then on.
        case unresolved
        /// It names something that is never shielded; the text says why.
        case refused(reason: String)
    }

    /// The shields that are up, with their selections as they were applied.
    public var applied: [ShieldName: ShieldSelection]
    /// The state of each app token that a shield names.
    public var apps: [AppToken: State]
    /// The state of each category token that a shield names. A category is as well covered as the least covered of
    /// its apps that are not refused.
    public var categories: [CategoryToken: State]

    /// A coverage of these parts.
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
