internal import PasscodeLock

/// How a program is guarded.
struct GuardOptions: Sendable {
    /// The program and its arguments.
    var command: [String]
    /// The key that locks.
    var lockKey: LockKey
    /// Whether screens are told in lines of text.
    var isPlain: Bool
    /// The timeout that was asked for; `nil` for the one that is recorded.
    var timeout: LockTimeout?
}
