public import PortcullisCore

/// An ``/PortcullisCore/ActivityScheduler`` to be checked against ``ActivitySchedulerContract``. The subject
/// contains a function that makes a scheduler, and the clock of that scheduler.
public struct ActivitySchedulerSubject: Sendable {
    /// The clock that a clause uses, with a function that makes a scheduler.
    enum TimeSource: Sendable {
        /// The clause makes a clock with a wall time and a zone, and a scheduler on this clock. The clause
        /// can move the clock.
        case manual(
            clock: @Sendable (_ wall: Duration, _ zone: ManualZone) -> ManualClock,
            scheduler: @Sendable (_ clock: ManualClock) async throws -> any ActivityScheduler
        )
        /// The clock runs in real time, and the scheduler uses it.
        case running(any LockClock, scheduler: @Sendable () async throws -> any ActivityScheduler)
    }

    let time: TimeSource
    let unsupported: Set<ActivitySchedulerContract>
    let patience: Duration
    let settle: @Sendable (any ActivityScheduler) async -> Void

    /// Makes a subject whose clock the clauses can move.
    ///
    /// - Parameters:
    ///   - unsupported: the clauses that the scheduler's platform cannot keep. Only clauses with
    ///     ``ActivitySchedulerContract/mayBeUnsupported`` are allowed.
    ///   - patience: how long a clause waits, in real time, for an event before the event counts as lost.
    ///     Choose a long time, because events can be late on a busy machine.
    ///   - clock: makes a clock with the given wall time and zone; by default a clock with a
    ///     ``ManualExecutor``.
    ///   - settle: is called after each move of the clock, and returns when all due events have been
    ///     delivered. By default it does nothing. This is enough for a scheduler that waits only with the
    ///     `sleep(until:)` of the clock.
    ///   - make: makes a scheduler on the clock. The scheduler monitors nothing at first. Its tasks must
    ///     prefer the clock's executor, because tasks on another executor could deliver events late. A late
    ///     event violates a clause.
    public init(
        unsupported: Set<ActivitySchedulerContract> = [],
        patience: Duration = .seconds(60),
        clock: @escaping @Sendable (_ wall: Duration, _ zone: ManualZone) -> ManualClock = {
            ManualClock(wall: $0, zone: $1, executor: ManualExecutor())
        },
        settle: @escaping @Sendable (any ActivityScheduler) async -> Void = { _ in },
        make: @escaping @Sendable (_ clock: ManualClock) async throws -> any ActivityScheduler
    ) {
        self.time = .manual(clock: clock, scheduler: make)
        self.unsupported = unsupported
        self.patience = patience
        self.settle = settle
    }

    /// Makes a subject whose clock runs in real time, for example for a system's scheduler. Clauses that need
    /// a movable clock do not apply.
    ///
    /// - Parameters:
    ///   - unsupported: the clauses that the scheduler's platform cannot keep. Only clauses with
    ///     ``ActivitySchedulerContract/mayBeUnsupported`` are allowed.
    ///   - patience: how long a clause waits for an event before the event counts as lost. Choose a long
    ///     time, because events can be late on a busy machine.
    ///   - clock: the clock that the scheduler uses. Its zone is the scheduler's zone.
    ///   - make: makes a scheduler that monitors nothing.
    public init(
        unsupported: Set<ActivitySchedulerContract> = [],
        patience: Duration = .seconds(60),
        running clock: any LockClock,
        make: @escaping @Sendable () async throws -> any ActivityScheduler
    ) {
        self.time = .running(clock, scheduler: make)
        self.unsupported = unsupported
        self.patience = patience
        self.settle = { _ in }
    }
}
