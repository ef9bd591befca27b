internal import Synchronization

/// The boot-clock time at which the run is due to lock by an earlier absence or for lack of activity.
///
/// The pumps compare it with the time at the end of a sleep or a stop. A single gap may be shorter than the
/// timeout and still end after this time.
final class LockDue: Sendable {
    private struct Times {
        var away: Duration?
        var idle: Duration?
    }

    private let idleTime: Duration?
    private let times = Mutex(Times())

    /// Makes a time that is not set yet.
    ///
    /// - Parameter idleTime: the time without activity after which the run locks; `nil` for no limit.
    init(idleTime: Duration? = nil) { self.idleTime = idleTime }

    /// Whether the run locks for lack of activity.
    var hasIdleTime: Bool { idleTime != nil }

    /// Starts the idle time anew.
    func personWasActive(at now: Duration) {
        guard let idleTime else { return }
        times.withLock { $0.idle = now + idleTime }
    }

    /// Sets the time at which the present absence reaches the timeout; `nil` if there is no absence or no
    /// timeout.
    func setAway(until time: Duration?) { times.withLock { $0.away = time } }

    /// Whether the run should be locked at this time. The session decides whether it is.
    func isReached(at now: Duration) -> Bool {
        times.withLock { times in [times.away, times.idle].contains { $0.map { now >= $0 } ?? false } }
    }
}
