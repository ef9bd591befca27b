public import PortcullisCore

/// A ``/PortcullisCore/Notifier`` to be checked against ``NotifierContract``, with the ways to look behind it and to let its time pass.
public struct NotifierSubject: Sendable {
    /// A fresh notifier with the ways to look behind it; a way that an adapter does not have is `nil`, and the clauses
    /// that need it do not apply.
    public struct Place: Sendable {
        /// The notifier, with nothing delivered or pending, and allowed to notify.
        public var notifier: any Notifier
        /// What was delivered so far, in order; what is on its way is waited for, where that can be.
        public var delivered: @Sendable () async throws -> [LockNotification]
        /// Keeps the reader of the notifications from taking any (`true`), or lets it go on (`false`).
        public var setStuck: (@Sendable (Bool) async throws -> Void)?
        /// Takes the right to notify away.
        public var forbid: (@Sendable () async throws -> Void)?

        /// A place of these parts.
        public init(
            notifier: any Notifier,
            delivered: @escaping @Sendable () async throws -> [LockNotification],
            setStuck: (@Sendable (Bool) async throws -> Void)? = nil,
            forbid: (@Sendable () async throws -> Void)? = nil
        ) {
            self.notifier = notifier
            self.delivered = delivered
            self.setStuck = setStuck
            self.forbid = forbid
        }
    }

    /// Where a clause takes its time from.
    enum TimeSource: Sendable {
        /// A clock that the clause makes and moves, and a notifier on it.
        case manual(
            clock: @Sendable () -> ManualClock,
            place: @Sendable (_ clock: ManualClock) async throws -> Place
        )
        /// A clock that goes by itself, and a notifier on it.
        case running(any LockClock, place: @Sendable () async throws -> Place)
    }

    let time: TimeSource
    let patience: Duration

    /// A notifier whose clock can be moved.
    ///
    /// - Parameters:
    ///   - patience: how long, in real time, to wait for a notification before it counts as lost. It passes only
    ///     where something is lost, or a busy machine lets it be late.
    ///   - clock: makes a clock; default: one with a ``ManualExecutor``.
    ///   - makePlace: makes a fresh notifier on the clock; each clause has one of its own. One that has tasks of its own
    ///     gives them the executor of the clock: when a task that does not prefer it is done cannot be known.
    public init(
        patience: Duration = .seconds(60),
        clock: @escaping @Sendable () -> ManualClock = { ManualClock(executor: ManualExecutor()) },
        _ makePlace: @escaping @Sendable (_ clock: ManualClock) async throws -> Place
    ) {
        self.time = .manual(clock: clock, place: makePlace)
        self.patience = patience
    }

    /// A notifier that lives in real time, such as a system's; the clauses in which time passes do not apply.
    ///
    /// - Parameters:
    ///   - patience: how long to wait for a notification before it counts as lost. It passes only
    ///     where something is lost, or a busy machine lets it be late.
    ///   - clock: the clock that the notifier goes by.
    ///   - makePlace: makes a fresh notifier; each clause has one of its own.
    public init(
        patience: Duration = .seconds(60),
        running clock: any LockClock,
        _ makePlace: @escaping @Sendable () async throws -> Place
    ) {
        self.time = .running(clock, place: makePlace)
        self.patience = patience
    }
}
