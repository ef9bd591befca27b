/// Whether a token names something that can be shielded on this machine.
public enum ShieldTokenStanding: Hashable, Sendable {
    /// The token names a program that can be shielded, or a category with at least one such program.
    case known
    /// No desktop entry, file or category of this name exists. The name is probably misspelt.
    case unknown
    /// The token has no program now, for example because the app is not installed. The shield covers the
    /// program once it is installed.
    case unresolved(reason: String)
    /// The token names something that is never shielded.
    case refused(reason: String)
}
