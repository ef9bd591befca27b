public import PortcullisCore
internal import Synchronization

/// A clock that stands still until a test moves it.
///
/// ``advance(by:)`` wakes sleepers one deadline after the other, in the order of their deadlines, and lets each
/// of them run before it goes on; so a day of timers runs in an instant, in the order of reality. A test that
/// must be sure that a task has reached its sleep waits with ``waitForSleepers(_:)``.
public final class ManualClock: LockClock {
    private struct Sleeper {
        let deadline: ClockDeadline
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var moment: Moment
        var zone: ManualZone
        var isSynchronised = true
        var boots = 1
        var lastID: UInt64 = 0
        var sleepers: [UInt64: Sleeper] = [:]
        /// Sleepers that were let go and have not run on yet.
        var waking = 0
        var listeners: [UInt64: AsyncStream<ClockNotice>.Continuation] = [:]
        var observers: [UInt64: Observer] = [:]

        mutating func newID() -> UInt64 {
            lastID += 1
            return lastID
        }
    }

    /// A test that waits for the clock's own state.
    private struct Observer {
        let isSatisfied: @Sendable (State) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private let state: Mutex<State>

    /// A clock that shows this.
    ///
    /// - Parameters:
    ///   - wall: time since 1970-01-01T00:00:00Z; default: 2026-01-01T12:00:00Z.
    ///   - sinceBoot: how long the machine has run; default: an hour.
    ///   - zone: the zone; default: UTC.
    public init(
        wall: Duration = .seconds(1_767_268_800),
        sinceBoot: Duration = .seconds(3_600),
        zone: ManualZone = .utc
    ) {
        self.state = Mutex(
            State(moment: Moment(wall: wall, sinceBoot: sinceBoot, boot: Self.boot(1)), zone: zone)
        )
    }

    private static func boot(_ number: Int) -> BootID { BootID("manual-\(number)") }

    /// What the clock shows.
    public var now: Moment { state.withLock { $0.moment } }

    /// What ``setSynchronised(_:)`` said; `true` to begin with.
    public var isSynchronised: Bool { state.withLock { $0.isSynchronised } }

    /// The zone's name.
    public var zone: String { state.withLock { $0.zone.name } }

    /// The calendar day that holds a wall time.
    public func civilDate(at wall: Duration, dayStart: Duration) -> CivilDate {
        let spans = state.withLock { $0.zone.spans() }
        return CivilDay.date(at: wall, dayStart: dayStart) { _ in spans }
    }

    /// The wall time at which the next day begins.
    public func nextDayStart(after wall: Duration, dayStart: Duration) -> Duration {
        let spans = state.withLock { $0.zone.spans() }
        return CivilDay.nextStart(after: wall, dayStart: dayStart) { _ in spans }
    }

    /// A notice of each ``setWall(_:)``, ``setZone(_:)`` and ``reboot(downtime:)``.
    public func notices() -> AsyncStream<ClockNotice> {
        let (stream, continuation) = AsyncStream.makeStream(of: ClockNotice.self)
        let id = state.withLock { state in
            let id = state.newID()
            state.listeners[id] = continuation
            return id
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.listeners[id] = nil }
        }
        return stream
    }

    /// Waits until the clock is moved to the deadline.
    public func sleep(until deadline: ClockDeadline) async throws(CancellationError) {
        let id = state.withLock { $0.newID() }
        let wasWoken = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                change { state in
                    // The handler may have run already and found nobody; the flag tells.
                    if Task.isCancelled { return { continuation.resume(returning: false) } }
                    if state.moment.hasReached(deadline) {
                        state.waking += 1
                        return { continuation.resume(returning: true) }
                    }
                    state.sleepers[id] = Sleeper(deadline: deadline, continuation: continuation)
                    return {}
                }
            }
        } onCancel: {
            change { state in
                let sleeper = state.sleepers.removeValue(forKey: id)
                return { sleeper?.continuation.resume(returning: false) }
            }
        }
        guard wasWoken else { throw CancellationError() }
        change { state in
            state.waking -= 1
            return {}
        }
    }
}

extension ManualClock {
    /// The number of tasks that sleep on the clock.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// The deadlines of those that sleep on it.
    public var deadlines: [ClockDeadline] { state.withLock { $0.sleepers.values.map(\.deadline) } }

    /// Waits until at least this many tasks sleep on the clock; returns early when the task is cancelled.
    public func waitForSleepers(_ count: Int) async {
        await wait { $0.sleepers.count >= count }
    }

    /// Moves both clocks on, waking sleepers in the order of their deadlines at exactly their deadlines.
    ///
    /// Each of them runs on before the next is woken, so that one that sleeps again within the time is woken
    /// again.
    public func advance(by duration: Duration) async {
        precondition(duration >= .zero, "time since boot never goes back")
        let target = now.sinceBoot + duration
        await letOthersRun()
        while let step = nextStep(upTo: target) {
            await move { $0.moment = $0.moment.advanced(by: step) }
        }
        await move { $0.moment = $0.moment.advanced(by: max(.zero, target - $0.moment.sinceBoot)) }
    }

    /// Lets the machine sleep: both clocks jump, and whoever was due meanwhile is woken at the end.
    public func suspend(for duration: Duration) async {
        precondition(duration >= .zero, "time since boot never goes back")
        await move { $0.moment = $0.moment.advanced(by: duration) }
    }

    /// Sets the wall clock, forward or back, and reports it; the boot clock stays.
    public func setWall(_ wall: Duration) async {
        await move(notice: .wallClockSet) { $0.moment.wall = wall }
    }

    /// Moves the person to another zone and reports it.
    public func setZone(_ zone: ManualZone) async {
        await move(notice: .zoneChanged) { $0.zone = zone }
    }

    /// Says whether the system would call its clock synchronised.
    public func setSynchronised(_ isSynchronised: Bool) {
        state.withLock { $0.isSynchronised = isSynchronised }
    }

    /// Starts the machine anew: another boot id, a boot clock at zero, a wall clock that went on meanwhile.
    ///
    /// Whoever slept on the clock belonged to a process that is gone: it is cancelled.
    public func reboot(downtime: Duration = .seconds(30)) async {
        change { state in
            state.boots += 1
            state.moment = Moment(
                wall: state.moment.wall + downtime,
                sinceBoot: .zero,
                boot: Self.boot(state.boots)
            )
            let gone = state.sleepers.values
            state.sleepers = [:]
            return { for sleeper in gone { sleeper.continuation.resume(returning: false) } }
        }
        await letOthersRun()
    }

    /// How far to go to the next deadline that lies within the target; `nil` when there is none.
    private func nextStep(upTo target: Duration) -> Duration? {
        state.withLock { state in
            let steps = state.sleepers.values.map { state.moment.distance(to: $0.deadline) }
            guard let step = steps.min(), state.moment.sinceBoot + step <= target else { return nil }
            return step
        }
    }

    private func move(notice: ClockNotice? = nil, _ body: @Sendable (inout State) -> Void) async {
        change { state in
            body(&state)
            let due = state.sleepers.filter { state.moment.hasReached($0.value.deadline) }
            for id in due.keys { state.sleepers[id] = nil }
            state.waking += due.count
            // The one that is overdue the longest comes first; of equals, the one that came first.
            let moment = state.moment
            let order = due.sorted { left, right in
                (moment.distance(to: left.value.deadline), left.key)
                    < (moment.distance(to: right.value.deadline), right.key)
            }
            let listeners = notice == nil ? [] : Array(state.listeners.values)
            return {
                for (_, sleeper) in order { sleeper.continuation.resume(returning: true) }
                if let notice { for listener in listeners { listener.yield(notice) } }
            }
        }
        await wait { $0.waking == 0 }
        await letOthersRun()
    }

    /// Gives tasks that were just woken the chance to go back to sleep.
    ///
    /// Nothing can tell when a task has done all it will do at an instant; this many turns are plenty for the
    /// few hops from a wake-up to the next sleep. Where a test depends on it, it waits for the sleepers.
    private func letOthersRun() async {
        for _ in 0..<32 { await Task.yield() }
    }
}

extension ManualClock {
    /// Changes the state, then does what follows outside the lock: the returned effect, and letting go of tests
    /// whose wait is over.
    private func change(_ body: (inout State) -> (() -> Void)) {
        var effect: () -> Void = {}
        var satisfied: [Observer] = []
        state.withLock { state in
            effect = body(&state)
            for (id, observer) in state.observers where observer.isSatisfied(state) {
                satisfied.append(observer)
                state.observers[id] = nil
            }
        }
        effect()
        for observer in satisfied { observer.continuation.resume() }
    }

    private func wait(until isSatisfied: @escaping @Sendable (State) -> Bool) async {
        let id = state.withLock { $0.newID() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                change { state in
                    if Task.isCancelled { return { continuation.resume() } }
                    state.observers[id] = Observer(isSatisfied: isSatisfied, continuation: continuation)
                    return {}
                }
            }
        } onCancel: {
            change { state in
                let observer = state.observers.removeValue(forKey: id)
                return { observer?.continuation.resume() }
            }
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
