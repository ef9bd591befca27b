internal import Synchronization

/// The boot-clock times at which the run is due to lock: during an absence, and for lack of activity.
///
/// After a sleep of the machine or a stop of the process, the pumps check whether one of these times has
/// passed. A sleep that is shorter than the timeout may still end after one of these times.
final class LockDue: Sendable {
    private struct Times {
        var away: Duration?
        var idle: Duration?
    }

    private let idleTime: Duration?
    private let times = Mutex(Times())

    /// Creates times that are not set yet.
    ///
    /// - Parameter idleTime: the time without activity after which the run locks; `nil` for no limit.
    init(idleTime: Duration? = nil) { self.idleTime = idleTime }

    /// Whether the run locks for lack of activity.
    var hasIdleTime: Bool { idleTime != nil }

    /// The time at which the run is due to lock for lack of activity; `nil` without an idle time, and before
    /// the first activity.
    var idle: Duration? { times.withLock { $0.idle } }

    /// Starts the idle time anew.
    func personWasActive(at now: Duration) {
        guard let idleTime else { return }
        times.withLock { $0.idle = now + idleTime }
    }

    /// Sets the time at which the present absence locks the run; `nil` without an absence, and for an absence
    /// that never locks.
    func setAway(until time: Duration?) { times.withLock { $0.away = time } }

    /// Whether one of the times has passed at the time `now`. The session decides whether the run locks.
    func isReached(at now: Duration) -> Bool {
        times.withLock { times in [times.away, times.idle].contains { $0.map { now >= $0 } ?? false } }
    }
}
