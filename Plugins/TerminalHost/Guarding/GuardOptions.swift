public import PasscodeLock

/// How a program is guarded. What the lock itself does, when idle for example, its service's configuration says.
public struct GuardOptions: Sendable {
    /// The key that locks.
    public var lockKey: LockKey
    /// Whether screens are told in lines of text, as readers of screens and slow terminals want it. They are in any case where
    /// input or output is no terminal.
    public var isPlain: Bool
    /// The timeout to record for the lock, once a passcode is set; `nil`: the one that is recorded stays.
    public var timeout: LockTimeout?
    /// Whether the run takes the signals of this process: it ends on those that end a process, follows SIGWINCH, and
    /// stops the process on SIGTSTP. Of several runs in one process one should, and the others are told what concerns them:
    /// ``GuardedRun/end()``, ``GuardedRun/terminalWasResized()``.
    public var takesSignals: Bool

    /// Options; what is not given is Ctrl-], drawn screens, the timeout as recorded, and signals taken.
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
