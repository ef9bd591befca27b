import PortcullisCore
import PortcullisTesting
import Synchronization

/// A clock that counts what it is asked for, and tells of changes only where it is to.
final class CountingClock: LockClock {
    private let base: ManualClock
    private let tellsOfChanges: Bool
    private let asked = Mutex((times: 0, sleeps: 0))

    init(_ base: ManualClock, tellsOfChanges: Bool = true) {
        self.base = base
        self.tellsOfChanges = tellsOfChanges
    }

    /// How often it was asked for the time, and to sleep, since the last call.
    func counts() -> (times: Int, sleeps: Int) {
        asked.withLock { asked in
            defer { asked = (0, 0) }
            return asked
        }
    }

    var now: Moment {
        asked.withLock { $0.times += 1 }
        return base.now
    }

    var isSynchronised: Bool { base.isSynchronised }
    var zone: String { base.zone }

    func sleep(until deadline: ClockDeadline) async throws(CancellationError) {
        asked.withLock { $0.sleeps += 1 }
        try await base.sleep(until: deadline)
    }

    func civilDate(at wall: Duration, dayStart: Duration) -> CivilDate {
        base.civilDate(at: wall, dayStart: dayStart)
    }

    func start(of date: CivilDate, dayStart: Duration) -> Duration {
        base.start(of: date, dayStart: dayStart)
    }

    func nextDayStart(after wall: Duration, dayStart: Duration) -> Duration {
        base.nextDayStart(after: wall, dayStart: dayStart)
    }

    func notices() -> AsyncStream<ClockNotice> {
        tellsOfChanges ? base.notices() : AsyncStream { $0.finish() }
    }
}
