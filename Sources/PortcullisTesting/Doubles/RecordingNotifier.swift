public import PortcullisCore
internal import Synchronization

/// A ``/PortcullisCore/SchedulingNotifier`` that records its notifications. The test's clock decides when
/// scheduled notifications are due.
public final class RecordingNotifier: SchedulingNotifier {
    private struct State {
        var isAuthorized: Bool
        var delivered: [LockNotification] = []
        var pending: [String: PendingNotification] = [:]
    }

    private let clock: any LockClock
    private let state: Mutex<State>

    /// Makes a notifier without notifications.
    ///
    /// - Parameters:
    ///   - clock: decides whether a time has passed.
    ///   - isAuthorized: the answer to a request for authorization.
    public init(clock: any LockClock, isAuthorized: Bool = true) {
        self.clock = clock
        self.state = Mutex(State(isAuthorized: isAuthorized))
    }

    /// The delivered notifications, in order. A scheduled notification is included once its time has come.
    public var delivered: [LockNotification] {
        deliverDue()
        return state.withLock { $0.delivered }
    }

    private func deliverDue() {
        let wall = clock.now.wall
        state.withLock { state in
            for due in Self.sorted(state.pending) where due.wall <= wall {
                state.pending[due.notification.id] = nil
                state.delivered.append(due.notification)
            }
        }
    }

    /// Allows or forbids notifications from now on.
    public func setAuthorized(_ isAuthorized: Bool) { state.withLock { $0.isAuthorized = isAuthorized } }

    /// Returns whether notifications are allowed, according to the initialiser or ``setAuthorized(_:)``.
    public func requestAuthorization() async -> Bool { state.withLock { $0.isAuthorized } }

    /// Records a notification as delivered.
    public func deliver(_ notification: LockNotification) async throws(NotifierError) {
        try take(notification, at: nil)
    }

    /// Records a notification as pending until its time.
    public func deliver(_ notification: LockNotification, at wall: Duration) async throws(NotifierError) {
        try take(notification, at: wall)
    }

    private func take(_ notification: LockNotification, at wall: Duration?) throws(NotifierError) {
        deliverDue()
        let now = clock.now.wall
        let isAuthorized = state.withLock { state in
            guard state.isAuthorized else { return false }
            state.pending[notification.id] = nil
            if let wall, wall > now {
                state.pending[notification.id] = PendingNotification(notification: notification, wall: wall)
            } else {
                state.delivered.append(notification)
            }
            return true
        }
        guard isAuthorized else {
            throw NotifierError(code: .notAuthorized, message: "notifications are not allowed")
        }
    }

    /// Drops pending notifications. Delivered notifications stay in the record.
    public func withdraw(_ ids: Set<String>) async {
        deliverDue()
        state.withLock { state in
            for id in ids { state.pending[id] = nil }
        }
    }

    /// The pending notifications, soonest first.
    public func pending() async -> [PendingNotification] {
        deliverDue()
        return state.withLock { Self.sorted($0.pending) }
    }

    private static func sorted(_ pending: [String: PendingNotification]) -> [PendingNotification] {
        pending.values.sorted { ($0.wall, $0.notification.id) < ($1.wall, $1.notification.id) }
    }
}
