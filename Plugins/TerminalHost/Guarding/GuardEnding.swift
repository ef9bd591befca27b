/// How a guarded run ended.
public struct GuardEnding: Sendable, Hashable {
    /// What the lock has ended a program for.
    public enum Reason: Sendable, Hashable {
        /// The person logged out, and the passcode was removed.
        case loggedOut
        /// The person logged out; the passcode could not be removed and is still set.
        case loggedOutWithPasscodeKept
        /// The passcode was removed from elsewhere while it was locked: there was nothing left to unlock with.
        case passcodeLost
        /// It is locked, and nothing is left to answer with: the input, which is no terminal, has ended.
        case unanswered
    }

    /// The exit status: the program's own, 128 + the number of the signal that ended it or the run, 129 after logging out.
    public var status: Int32
    /// Why the program was ended; `nil` where it ended by itself, or a signal or the host ended it.
    public var reason: Reason?
    /// Whether the program was started at all.
    public var hasStarted: Bool

    /// An ending.
    public init(status: Int32, reason: Reason? = nil, hasStarted: Bool = true) {
        self.status = status
        self.reason = reason
        self.hasStarted = hasStarted
    }
}
