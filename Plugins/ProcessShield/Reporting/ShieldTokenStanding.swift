/// What a token names on this machine, before anything is done about it.
public enum ShieldTokenStanding: Hashable, Sendable {
    /// A program, or for a category at least one.
    case known
    /// Nothing: there is no such desktop entry, file or category. It is likely to be misspelt.
    case unknown
    /// Something without a program now, such as a desktop entry whose program is not installed. It counts from then on.
    case unresolved(reason: String)
    /// Something that is never shielded.
    case refused(reason: String)
}
