public import PortcullisCore
internal import Synchronization

/// Adds delivery at a later time to a notifier that delivers at once.
///
/// Pending notifications exist only in this process and are lost when this object is deallocated. While one
/// notification is being delivered, the next ones wait, so that they are delivered in the order of their
/// times.
public final class DeferredNotifier: SchedulingNotifier {
    private struct Waiting {
        let pending: PendingNotification
        /// A number that distinguishes this notification from an earlier or later one of the same id.
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

    /// Makes a notifier that delivers through the notifier `base`, at once or at a later time.
    ///
    /// - Parameters:
    ///   - base: delivers each notification when its time has come.
    ///   - clock: the clock that the times of notifications refer to.
    ///   - executor: runs the tasks that wait; by default Swift's shared pool.
    ///   - failed: is called with each due notification that could not be delivered. Its delivery is not
    ///     tried again.
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

    /// Asks the base notifier for the permission to notify, and returns its answer.
    public func requestAuthorization() async -> Bool { await base.requestAuthorization() }

    /// Delivers a notification now. It replaces a pending notification of the same id.
    public func deliver(_ notification: LockNotification) async throws(NotifierError) {
        let last = state.withLock { $0.lastNumber }
        await turn.begin()
        defer { turn.end() }
        try await base.deliver(notification)
        // If the delivery failed, this line is not reached, so the pending notification stays. A
        // notification that was scheduled during this call stays too.
        let replaced = state.withLock { state in
            guard let waiting = state.waiting[notification.id], waiting.number <= last else {
                return nil as Waiting?
            }
            return state.waiting.removeValue(forKey: notification.id)
        }
        replaced?.timer.cancel()
    }

    /// Delivers a notification at its time. The notification replaces a pending one of the same id.
    ///
    /// If `wall` is not in the future, the notification is delivered at once. If `wall` is in the future, the
    /// call first asks the base whether notifications are allowed, and the base may ask the person.
    ///
    /// - Throws: ``/PortcullisCore/NotifierErrorCode/notAuthorized`` when the base answers that notifications
    ///   are not allowed; the errors of the delivery when the notification is delivered at once.
    public func deliver(_ notification: LockNotification, at wall: Duration) async throws(NotifierError) {
        guard wall > clock.now.wall else { return try await deliver(notification) }
        guard await base.requestAuthorization() else {
            throw NotifierError(code: .notAuthorized, message: "notifications are not allowed")
        }
        schedule(PendingNotification(notification: notification, wall: wall))
    }

    /// Removes the pending notifications of these ids, waits for a delivery that is under way, and then
    /// withdraws the ids from the base.
    public func withdraw(_ ids: Set<String>) async {
        let dropped = state.withLock { state in ids.compactMap { state.waiting.removeValue(forKey: $0) } }
        for waiting in dropped { waiting.timer.cancel() }
        await turn.begin()
        defer { turn.end() }
        await base.withdraw(ids)
    }

    /// The pending notifications, soonest first.
    public func pending() async -> [PendingNotification] {
        state.withLock { Self.sorted($0.waiting.values.map(\.pending)) }
    }

    private func schedule(_ pending: PendingNotification) {
        let id = pending.notification.id
        // The timer is started and its notification is entered in the list under one lock. Without the lock,
        // the timer could end before its notification is in the list, and would not deliver it.
        let replaced = state.withLock { state in
            state.lastNumber += 1
            let number = state.lastNumber
            let timer = Task(executorPreference: executor) { [weak self, clock, executor] in
                // If the wall clock is set back after the wake-up, `deliverDue` does not deliver the
                // notification yet. The timer then sleeps again.
                repeat {
                    do { try await clock.sleep(until: .wall(pending.wall)) } catch { return }
                    // `deliverDue` also delivers the notifications of other timers. So it runs in a task of
                    // its own, which is not cancelled together with this timer.
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

    /// Delivers all due notifications, soonest first. If several timers end at the same instant, the first
    /// timer delivers the notifications of all.
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
