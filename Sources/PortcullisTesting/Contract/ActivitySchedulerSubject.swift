public import PortcullisCore

/// An ``/PortcullisCore/ActivityScheduler`` to be checked against ``ActivitySchedulerContract``, as the ways to make one and to let
/// its time pass.
public struct ActivitySchedulerSubject: Sendable {
    /// Where a clause takes its time from.
    enum TimeSource: Sendable {
        /// A clock that the clause makes, with this wall time and zone, and moves; and a scheduler on it.
        case manual(
            clock: @Sendable (_ wall: Duration, _ zone: ManualZone) -> ManualClock,
            scheduler: @Sendable (_ clock: ManualClock) async throws -> any ActivityScheduler
        )
        /// A clock that goes by itself, and a scheduler on it.
        case running(any LockClock, scheduler: @Sendable () async throws -> any ActivityScheduler)
    }

    let time: TimeSource
    let unsupported: Set<ActivitySchedulerContract>
    let patience: Duration
    let settle: @Sendable (any ActivityScheduler) async -> Void

    /// A scheduler whose clock can be moved.
    ///
    /// - Parameters:
    ///   - unsupported: clauses that the scheduler's platform cannot give; only those that
    ///     ``ActivitySchedulerContract/mayBeUnsupported`` names.
    ///   - patience: how long, in real time, to wait for an event before it counts as lost. It passes only
    ///     where something is lost, or a busy machine lets it be late.
    ///   - clock: makes a clock with this wall time and zone; default: one with a ``ManualExecutor``.
    ///   - settle: is called each time after the clock was moved and returns when what is due has been handed out;
    ///     default: nothing, for schedulers that wake by the clock.
    ///   - make: makes a scheduler on the clock that monitors nothing. One that has tasks of its own gives them
    ///     the executor of the clock: a task that does not prefer it may be late, which no clause forgives.
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

    /// A scheduler that lives in real time, such as a system's; the clauses in which time passes do not apply.
    ///
    /// - Parameters:
    ///   - unsupported: clauses that the scheduler's platform cannot give; only those that
    ///     ``ActivitySchedulerContract/mayBeUnsupported`` names.
    ///   - patience: how long to wait for an event before it counts as lost. It passes only
    ///     where something is lost, or a busy machine lets it be late.
    ///   - clock: the clock that the scheduler goes by, in the same zone.
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
