public import PortcullisCore

/// An ``ActivityScheduler`` to be checked against ``ActivitySchedulerContract``, as the ways to make one and to let
/// its time pass.
public struct ActivitySchedulerSubject: Sendable {
    /// Where a clause takes its time from.
    enum TimeSource: Sendable {
        /// A clock that the clause makes, with this wall time and zone, and moves.
        case manual(@Sendable (_ wall: Duration, _ zone: ManualZone) -> ManualClock)
        /// A clock that goes by itself.
        case running(any LockClock)
    }

    let time: TimeSource
    let unsupported: Set<ActivitySchedulerContract>
    let patience: Duration
    let settle: @Sendable (any ActivityScheduler) async -> Void
    let make: @Sendable (_ clock: any LockClock) async throws -> any ActivityScheduler

    /// A scheduler whose clock can be moved.
    ///
    /// - Parameters:
    ///   - unsupported: clauses that the scheduler's ground cannot give; only those that
    ///     ``ActivitySchedulerContract/mayBeUnsupported`` names.
    ///   - patience: how long, in real time, to wait for an event before it counts as lost.
    ///   - clock: makes a clock with this wall time and zone; default: one with a ``ManualExecutor``. A scheduler
    ///     that wakes by itself gives its tasks that executor.
    ///   - settle: is called each time after the clock was moved and returns when what is due has been handed out;
    ///     default: nothing, for schedulers that wake by the clock.
    ///   - make: makes a scheduler on the clock that monitors nothing.
    public init(
        unsupported: Set<ActivitySchedulerContract> = [],
        patience: Duration = .seconds(10),
        clock: @escaping @Sendable (_ wall: Duration, _ zone: ManualZone) -> ManualClock = {
            ManualClock(wall: $0, zone: $1, executor: ManualExecutor())
        },
        settle: @escaping @Sendable (any ActivityScheduler) async -> Void = { _ in },
        make: @escaping @Sendable (_ clock: any LockClock) async throws -> any ActivityScheduler
    ) {
        self.time = .manual(clock)
        self.unsupported = unsupported
        self.patience = patience
        self.settle = settle
        self.make = make
    }

    /// A scheduler that lives in real time, such as a system's; the clauses in which time passes do not apply.
    ///
    /// - Parameters:
    ///   - unsupported: clauses that the scheduler's ground cannot give; only those that
    ///     ``ActivitySchedulerContract/mayBeUnsupported`` names.
    ///   - patience: how long to wait for an event before it counts as lost.
    ///   - clock: the clock that the scheduler goes by, in the same zone.
    ///   - make: makes a scheduler that monitors nothing.
    public init(
        unsupported: Set<ActivitySchedulerContract> = [],
        patience: Duration = .seconds(10),
        running clock: any LockClock,
        make: @escaping @Sendable () async throws -> any ActivityScheduler
    ) {
        self.time = .running(clock)
        self.unsupported = unsupported
        self.patience = patience
        self.settle = { _ in }
        self.make = { _ in try await make() }
    }
}
