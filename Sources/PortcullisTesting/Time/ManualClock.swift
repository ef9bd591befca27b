internal import AdapterKit
public import PortcullisCore
internal import Synchronization

/// A clock that stands still until a test moves it.
///
/// ``advance(by:)`` wakes sleeping tasks in the order of their deadlines, and lets them run before a task
/// with a later deadline is woken. The timers of a whole day therefore fire without real waiting, in the same
/// order as in real time. To be sure that a task has reached its sleep, a test waits with
/// ``waitForSleepers(_:)``.
///
/// A ``ManualExecutor`` makes the clock deterministic. Before the clock moves on, tasks that prefer the
/// executor finish all work that is due at the current instant. So no timer of such a task is late, even if
/// one ``advance(by:)`` moves the clock by a year.
public final class ManualClock: LockClock {
    private struct Sleeper {
        let id: UInt64
        let deadline: ClockDeadline
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var moment: Moment
        var zone: ManualZone
        var isSynchronised = true
        var boots = 1
        /// The sleeping tasks, in the order of their arrival.
        var sleepers: [Sleeper] = []
        /// The number of tasks that were woken and have not run yet.
        var waking = 0
        var observers: [UInt64: Observer] = [:]

        /// The time to the nearest deadline; `nil` when no task sleeps.
        var nearest: Duration? {
            var nearest: Duration?
            for sleeper in sleepers {
                let distance = moment.distance(to: sleeper.deadline)
                nearest = nearest.map { min($0, distance) } ?? distance
            }
            return nearest
        }

        mutating func takeSleeper(_ id: UInt64) -> Sleeper? {
            guard let index = sleepers.firstIndex(where: { $0.id == id }) else { return nil }
            return sleepers.remove(at: index)
        }

        /// Removes and returns the sleepers whose deadline has passed. The most overdue sleeper comes first.
        /// Equally overdue sleepers are in the order of their arrival.
        mutating func takeDue() -> [Sleeper] {
            let moment = moment
            let due = sleepers.filter { moment.hasReached($0.deadline) }
            sleepers.removeAll { moment.hasReached($0.deadline) }
            waking += due.count
            return due.sorted {
                (moment.distance(to: $0.deadline), $0.id) < (moment.distance(to: $1.deadline), $1.id)
            }
        }

        /// Removes and returns the observers whose wait is over.
        mutating func takeSatisfied() -> [Observer] {
            var satisfied: [Observer] = []
            for (id, observer) in observers where observer.isSatisfied(self) {
                satisfied.append(observer)
                observers[id] = nil
            }
            return satisfied
        }
    }

    /// A task that waits for a state of the clock.
    private struct Observer {
        let isSatisfied: @Sendable (State) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    /// The executor, which the clock runs after each move, before ``advance(by:)`` and in
    /// ``waitForSleepers(_:)``; `nil` if the clock has no executor.
    public let executor: ManualExecutor?

    private let state: Mutex<State>
    private let noticeStreams = Broadcaster<ClockNotice>()
    private let lastID = Atomic<UInt64>(0)

    /// Makes a clock that shows this time.
    ///
    /// - Parameters:
    ///   - wall: the time since 1970-01-01T00:00:00Z; by default 2026-01-01T12:00:00Z.
    ///   - sinceBoot: the time since the machine was booted; by default an hour.
    ///   - zone: the zone; by default UTC.
    ///   - executor: runs until idle after each move of the clock, before ``advance(by:)`` and in
    ///     ``waitForSleepers(_:)``. By default there is none, and each move yields several times instead.
    public init(
        wall: Duration = .seconds(1_767_268_800),
        sinceBoot: Duration = .seconds(3_600),
        zone: ManualZone = .utc,
        executor: ManualExecutor? = nil
    ) {
        self.executor = executor
        self.state = Mutex(
            State(moment: Moment(wall: wall, sinceBoot: sinceBoot, boot: Self.boot(1)), zone: zone)
        )
    }

    private func newID() -> UInt64 { lastID.wrappingAdd(1, ordering: .relaxed).newValue }

    private static func boot(_ number: Int) -> BootID { BootID("manual-\(number)") }

    /// The moment that the clock shows.
    public var now: Moment { state.withLock { $0.moment } }

    /// Whether the system's clock counts as synchronised; `true` until ``setSynchronised(_:)`` changes it.
    public var isSynchronised: Bool { state.withLock { $0.isSynchronised } }

    /// The zone's name.
    public var zone: String { state.withLock { $0.zone.name } }

    /// The date of the calendar day that contains a wall time.
    public func civilDate(at wall: Duration, dayStart: Duration) -> CivilDate {
        let spans = state.withLock { $0.zone.spans() }
        return CivilDay.date(at: wall, dayStart: dayStart) { _ in spans }
    }

    /// The wall time at which the day of a date begins.
    public func start(of date: CivilDate, dayStart: Duration) -> Duration {
        let spans = state.withLock { $0.zone.spans() }
        return CivilDay.start(of: date, dayStart: dayStart) { _ in spans }
    }

    /// The wall time at which the next day begins.
    public func nextDayStart(after wall: Duration, dayStart: Duration) -> Duration {
        let spans = state.withLock { $0.zone.spans() }
        return CivilDay.nextStart(after: wall, dayStart: dayStart) { _ in spans }
    }

    /// A stream with a notice after each ``setWall(_:)`` and ``setZone(_:)``.
    public func notices() -> AsyncStream<ClockNotice> {
        noticeStreams.stream()
    }

    /// Sleeps until a test moves the clock to the deadline.
    public func sleep(until deadline: ClockDeadline) async throws(CancellationError) {
        let id = newID()
        let wasWoken = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = change { state -> Bool? in
                    // The cancellation handler may have run before the sleeper was added. The task's
                    // cancellation is therefore checked here too.
                    if Task.isCancelled { return false }
                    if state.moment.hasReached(deadline) {
                        state.waking += 1
                        return true
                    }
                    state.sleepers.append(Sleeper(id: id, deadline: deadline, continuation: continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let sleeper = change { $0.takeSleeper(id) }
            sleeper?.continuation.resume(returning: false)
        }
        guard wasWoken else { throw CancellationError() }
        change { $0.waking -= 1 }
    }
}

extension ManualClock {
    /// The number of tasks that sleep on the clock.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// The deadlines of the tasks that sleep on the clock.
    public var deadlines: [ClockDeadline] { state.withLock { $0.sleepers.map(\.deadline) } }

    /// Waits until at least this many tasks sleep on the clock. Returns early when the caller's task is
    /// cancelled.
    public func waitForSleepers(_ count: Int) async {
        executor?.runUntilIdle()
        await wait { $0.sleepers.count >= count }
    }

    /// Moves the wall clock and the boot clock forward. Wakes sleeping tasks in the order of their deadlines,
    /// each at exactly its deadline.
    ///
    /// The woken tasks run before a task with a later deadline is woken. If a task sleeps again and its new
    /// deadline is also reached, the task is woken again.
    public func advance(by duration: Duration) async {
        precondition(duration >= .zero, "time since boot never goes back")
        let target = now.sinceBoot + duration
        await letOthersRun()
        while moveToNextDeadline(upTo: target) {
            if !isSettled { await settle() }
        }
        await move { $0.moment = $0.moment.advanced(by: max(.zero, target - $0.moment.sinceBoot)) }
    }

    /// Makes the machine sleep. The wall clock and the boot clock jump forward, and then the tasks whose
    /// deadlines have passed are woken.
    public func suspend(for duration: Duration) async {
        precondition(duration >= .zero, "time since boot never goes back")
        await move { $0.moment = $0.moment.advanced(by: duration) }
    }

    /// Sets the wall clock forward or back and sends a notice. The boot clock does not change.
    public func setWall(_ wall: Duration) async {
        await move(notice: .wallClockSet) { $0.moment.wall = wall }
    }

    /// Changes the zone and sends a notice.
    public func setZone(_ zone: ManualZone) async {
        await move(notice: .zoneChanged) { $0.zone = zone }
    }

    /// Sets whether the system's clock counts as synchronised.
    public func setSynchronised(_ isSynchronised: Bool) {
        state.withLock { $0.isSynchronised = isSynchronised }
    }

    /// Restarts the machine. The boot id changes, the boot clock starts at zero, and the wall clock is moved
    /// forward by the downtime.
    ///
    /// The sleeping tasks belong to a process that has ended, so their sleeps are cancelled.
    public func reboot(downtime: Duration = .seconds(30)) async {
        let gone = change { state in
            state.boots += 1
            state.moment = Moment(
                wall: state.moment.wall + downtime,
                sinceBoot: .zero,
                boot: Self.boot(state.boots)
            )
            defer { state.sleepers = [] }
            return state.sleepers
        }
        for sleeper in gone { sleeper.continuation.resume(returning: false) }
        await letOthersRun()
    }

    /// Moves the clocks to the nearest deadline that is not after the target, and wakes the tasks whose
    /// deadlines have passed.
    ///
    /// - Returns: `false` when there is no such deadline.
    private func moveToNextDeadline(upTo target: Duration) -> Bool {
        let woken = change { state -> [Sleeper]? in
            guard let step = state.nearest, state.moment.sinceBoot + step <= target else { return nil }
            state.moment = state.moment.advanced(by: step)
            return state.takeDue()
        }
        guard let woken else { return false }
        for sleeper in woken { sleeper.continuation.resume(returning: true) }
        executor?.runUntilIdle()
        return true
    }

    private func move(notice: ClockNotice? = nil, _ body: @Sendable (inout State) -> Void) async {
        let woken = change { state in
            body(&state)
            return state.takeDue()
        }
        for sleeper in woken { sleeper.continuation.resume(returning: true) }
        if let notice { noticeStreams.send(notice) }
        executor?.runUntilIdle()
        if !isSettled { await settle() }
    }

    /// Whether it is certain that no task can do anything more at this instant. Without an executor this is
    /// never certain.
    private var isSettled: Bool { executor != nil && state.withLock { $0.waking == 0 } }

    private func settle() async {
        await wait { $0.waking == 0 }
        await letOthersRun()
    }

    /// Gives the tasks that were just woken the chance to run and to sleep again.
    ///
    /// Without an executor the clock cannot know when a task has done everything at an instant. The number of
    /// yields is ample for the few steps from a wake-up to the next sleep. A test that must be certain waits
    /// for the sleepers, or gives the tasks a ``ManualExecutor``.
    private func letOthersRun() async {
        if let executor { return executor.runUntilIdle() }
        for _ in 0..<32 { await Task.yield() }
    }
}

extension ManualClock {
    /// Changes the state under the lock. After the unlock, the observers whose wait is over are resumed.
    private func change<Result>(_ body: (inout State) -> sending Result) -> sending Result {
        let (result, satisfied) = state.withLock { state in
            let result = body(&state)
            return (result, state.takeSatisfied())
        }
        for observer in satisfied { observer.continuation.resume() }
        return result
    }

    private func wait(until isSatisfied: @escaping @Sendable (State) -> Bool) async {
        let id = newID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = change { state in
                    if Task.isCancelled { return true }
                    state.observers[id] = Observer(isSatisfied: isSatisfied, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let observer = change { $0.observers.removeValue(forKey: id) }
            observer?.continuation.resume()
        }
    }
}

extension Moment {
    fileprivate func hasReached(_ deadline: ClockDeadline) -> Bool { distance(to: deadline) <= .zero }

    fileprivate func distance(to deadline: ClockDeadline) -> Duration {
        switch deadline {
        case .sinceBoot(let time): time - sinceBoot
        case .wall(let time): time - wall
        }
    }
}
