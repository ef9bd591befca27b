/// What becomes of an app that runs when its shield goes up.
public enum StopPolicy: String, Hashable, Sendable, Codable {
    /// It is stopped where it is, and goes on from there when the shield lifts.
    case freeze
    /// It is asked to end (SIGTERM), and stopped as with ``freeze`` if it is still there after the grace.
    case terminate
    /// It is left running; only its next start is denied. Where starts cannot be denied it is not shielded at all, and
    /// reported as refused.
    case leave
}
