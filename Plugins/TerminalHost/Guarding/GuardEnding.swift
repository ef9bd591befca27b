/// How a guarded run ended.
public struct GuardEnding: Sendable, Hashable {
    /// The reason why the lock ended the program.
    public enum Reason: Sendable, Hashable {
        /// The person logged out, and the passcode was removed.
        case loggedOut
        /// The person logged out; the passcode could not be removed and is still set.
        case loggedOutWithPasscodeKept
        /// The passcode was removed elsewhere while the run was locked, so no passcode could unlock it.
        case passcodeLost
        /// The run is locked, and its input has ended, so no answer can come any more.
        case unanswered
    }

    /// The exit status.
    ///
    /// If a signal ended the program or the run, the status is 128 + the number of the signal. Ctrl-C on the
    /// offer to set a passcode, before the program has started, counts as SIGINT. If the lock
    /// ended the program for a ``reason``, the status is 129. If the output is a pipe without a reader, the
    /// status is 128 + SIGPIPE. Otherwise it is the program's own status.
    public var status: Int32
    /// The reason why the lock ended the program; `nil` if the program ended by itself or by a signal, or the
    /// host ended it.
    public var reason: Reason?
    /// Whether the program was started.
    public var hasStarted: Bool

    /// Creates an ending.
    public init(status: Int32, reason: Reason? = nil, hasStarted: Bool = true) {
        self.status = status
        self.reason = reason
        self.hasStarted = hasStarted
    }
}
