public import PasscodeLock

/// How a program is guarded. The lock's own rules, such as its idle time, are in the configuration of its
/// service.
public struct GuardOptions: Sendable {
    /// The key that locks.
    public var lockKey: LockKey
    /// Whether screens are lines of text, for screen readers and slow terminals. If the input or the output
    /// is no terminal, screens are always lines. If the input is a pipe, this option also says that its first
    /// lines may be answers to the offer of a passcode.
    public var isPlain: Bool
    /// The timeout to record for the lock once a passcode is set; `nil` keeps the recorded timeout.
    ///
    /// The absence that ends with the start of the run is compared with the timeout that was recorded before.
    ///
    /// If the timeout cannot be recorded before the program starts, the program is not started. If the
    /// program is already running, it continues, and the recorded timeout applies.
    public var timeout: LockTimeout?
    /// Whether the run handles the signals of this process: it ends on signals that end a process, follows
    /// SIGWINCH, and stops the process on SIGTSTP. If the input is no terminal, signals that the process
    /// ignores stay ignored, such as SIGHUP under `nohup`.
    ///
    /// If a process has several runs, only one run should handle signals. For the other runs, the host calls
    /// ``GuardedRun/end()`` and ``GuardedRun/terminalWasResized()``.
    public var takesSignals: Bool

    /// Creates options. The defaults are Ctrl-], drawn screens, the recorded timeout, and handled signals.
    public init(
        lockKey: LockKey = .standard,
        isPlain: Bool = false,
        timeout: LockTimeout? = nil,
        takesSignals: Bool = true
    ) {
        self.lockKey = lockKey
        self.isPlain = isPlain
        self.timeout = timeout
        self.takesSignals = takesSignals
    }
}
