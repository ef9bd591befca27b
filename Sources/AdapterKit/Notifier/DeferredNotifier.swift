public import PortcullisCore
internal import Synchronization

/// Adds delivery at a time to a notifier that delivers now.
///
/// Pending notifications live in this process only: they end with the object. While one is being delivered the next
/// ones wait for it, so that the order of times is kept.
public final class DeferredNotifier: SchedulingNotifier {
    private struct Waiting {
        let pending: PendingNotification
        /// Tells it from another notification of the same id.
        let number: UInt64
        let timer: Task<Void, Never>
    }

    private struct State {
        var waiting: [String: Waiting] = [:]
        var lastNumber: UInt64 = 0
    }

    private let base: any Notifier
    private let clock: any LockClock
    private let executor: (any TaskExecutor)?
    private let failed: @Sendable (LockNotification, NotifierError) -> Void
    private let turn = SerialTurn()
    private let state = Mutex(State())

    /// Delivers through another notifier, now or later.
    ///
    /// - Parameters:
    ///   - base: delivers each notification when its time has come.
    ///   - clock: wakes the scheduled ones.
    ///   - executor: runs the tasks that wait; default: Swift's shared pool.
    ///   - failed: told of a notification that came due and could not be delivered; it is not tried again.
    public init(
        _ base: any Notifier,
        clock: any LockClock,
        executor: (any TaskExecutor)? = nil,
        failed: @escaping @Sendable (LockNotification, NotifierError) -> Void
    ) {
        self.base = base
        self.clock = clock
        self.executor = executor
        self.failed = failed
    }

    deinit {
        for waiting in state.withLock({ Array($0.waiting.values) }) { waiting.timer.cancel() }
    }

    /// The base's answer.
    public func requestAuthorization() async -> Bool { await base.requestAuthorization() }

    /// Delivers a notification now, in the place of a pending one of its id.
    public func deliver(_ notification: LockNotification) async throws(NotifierError) {
        await turn.begin()
        defer { turn.end() }
        try await base.deliver(notification)
        // What could not be delivered does not take the pending one away either.
        let replaced = state.withLock { $0.waiting.removeValue(forKey: notification.id) }
        replaced?.timer.cancel()
    }

    /// Delivers a notification at its time, in the place of a pending one of its id.
    ///
    /// The base is asked at once whether notifications are allowed, which may ask the person.
    ///
    /// - Throws: ``/PortcullisCore/NotifierErrorCode/notAuthorized`` where notifications are not allowed now; for a time
    ///   that has passed, what the base throws.
    public func deliver(_ notification: LockNotification, at wall: Duration) async throws(NotifierError) {
        guard wall > clock.now.wall else { return try await deliver(notification) }
        guard await base.requestAuthorization() else {
            throw NotifierError(code: .notAuthorized, message: "notifications are not allowed")
        }
        schedule(PendingNotification(notification: notification, wall: wall))
    }

    /// Drops pending notifications, and has the base withdraw the others; one that is being delivered is waited for.
    public func withdraw(_ ids: Set<String>) async {
        let dropped = state.withLock { state in ids.compactMap { state.waiting.removeValue(forKey: $0) } }
        for waiting in dropped { waiting.timer.cancel() }
        await turn.begin()
        defer { turn.end() }
        await base.withdraw(ids)
    }

    /// What is scheduled, soonest first.
    public func pending() async -> [PendingNotification] {
        state.withLock { Self.sorted($0.waiting.values.map(\.pending)) }
    }

    private func schedule(_ pending: PendingNotification) {
        let id = pending.notification.id
        // The lock is held over both, so that the timer cannot ring before its notification is listed.
        let replaced = state.withLock { state in
            state.lastNumber += 1
            let number = state.lastNumber
            let timer = Task(executorPreference: executor) { [weak self, clock, executor] in
                // Again where the wall clock was set back between the wake-up and the look at it.
                repeat {
                    do { try await clock.sleep(until: .wall(pending.wall)) } catch { return }
                    // A task of its own: cancelling this timer must not cancel the delivery of others.
                    await Task(executorPreference: executor) { await self?.deliverDue() }.value
                } while self?.isWaiting(id, number) == true
            }
            let waiting = Waiting(pending: pending, number: number, timer: timer)
            return state.waiting.updateValue(waiting, forKey: id)
        }
        replaced?.timer.cancel()
    }

    private func isWaiting(_ id: String, _ number: UInt64) -> Bool {
        state.withLock { $0.waiting[id]?.number == number }
    }

    /// Delivers all that is due, soonest first: the first timer of an instant does it for all.
    private func deliverDue() async {
        await turn.begin()
        defer { turn.end() }
        while let due = takeSoonest() {
            do throws(NotifierError) {
                try await base.deliver(due)
            } catch {
                failed(due, error)
            }
        }
    }

    private func takeSoonest() -> LockNotification? {
        let now = clock.now.wall
        return state.withLock { state in
            let due = Self.sorted(state.waiting.values.map(\.pending)).first { $0.wall <= now }
            return due.flatMap { state.waiting.removeValue(forKey: $0.notification.id)?.pending.notification }
        }
    }

    private static func sorted(_ pending: [PendingNotification]) -> [PendingNotification] {
        pending.sorted { ($0.wall, $0.notification.id) < ($1.wall, $1.notification.id) }
    }
}
