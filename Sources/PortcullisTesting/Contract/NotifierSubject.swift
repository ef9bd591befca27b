public import PortcullisCore

/// A ``/PortcullisCore/Notifier`` to be checked against ``NotifierContract``. The subject contains a function
/// that makes a notifier, the clock of that notifier, and a function that reads the delivered notifications.
public struct NotifierSubject: Sendable {
    /// A new notifier, with functions that observe it and change its surroundings. If a test cannot provide a
    /// function, the function is `nil`, and the clauses that need it do not apply.
    public struct Place: Sendable {
        /// The notifier, with permission and without any delivered or pending notification.
        public var notifier: any Notifier
        /// Returns the notifications delivered so far, in order. If possible, the function first waits for
        /// notifications that were sent but have not arrived yet.
        public var delivered: @Sendable () async throws -> [LockNotification]
        /// With `true`, the program that receives the notifications stops accepting them. With `false`, the
        /// program accepts them again.
        public var setStuck: (@Sendable (Bool) async throws -> Void)?
        /// Withdraws the permission to notify.
        public var forbid: (@Sendable () async throws -> Void)?

        /// Makes a place with this notifier and these functions.
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

    /// The clock that a clause uses, with a function that makes a notifier.
    enum TimeSource: Sendable {
        /// The clause makes a clock, and a notifier on this clock. The clause can move the clock.
        case manual(
            clock: @Sendable () -> ManualClock,
            place: @Sendable (_ clock: ManualClock) async throws -> Place
        )
        /// The clock runs in real time, and the notifier uses it.
        case running(any LockClock, place: @Sendable () async throws -> Place)
    }

    let time: TimeSource
    let patience: Duration

    /// Makes a subject whose clock the clauses can move.
    ///
    /// - Parameters:
    ///   - patience: how long a clause waits, in real time, for a notification before the notification
    ///     counts as lost. Choose a long time, because notifications can be late on a busy machine.
    ///   - clock: makes a clock; by default a clock with a ``ManualExecutor``.
    ///   - makePlace: makes a new notifier on the clock for each clause. The notifier's tasks must prefer
    ///     the clock's executor, because the suite cannot know when tasks on another executor have finished.
    public init(
        patience: Duration = .seconds(60),
        clock: @escaping @Sendable () -> ManualClock = { ManualClock(executor: ManualExecutor()) },
        _ makePlace: @escaping @Sendable (_ clock: ManualClock) async throws -> Place
    ) {
        self.time = .manual(clock: clock, place: makePlace)
        self.patience = patience
    }

    /// Makes a subject whose clock runs in real time, for example for a system's notifier. Clauses that need
    /// a movable clock do not apply.
    ///
    /// - Parameters:
    ///   - patience: how long a clause waits for a notification before the notification counts as lost.
    ///     Choose a long time, because notifications can be late on a busy machine.
    ///   - clock: the clock that the notifier uses.
    ///   - makePlace: makes a new notifier for each clause.
    public init(
        patience: Duration = .seconds(60),
        running clock: any LockClock,
        _ makePlace: @escaping @Sendable () async throws -> Place
    ) {
        self.time = .running(clock, place: makePlace)
        self.patience = patience
    }
}
