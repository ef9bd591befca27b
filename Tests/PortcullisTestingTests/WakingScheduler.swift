import PortcullisCore
import PortcullisTesting
import Synchronization

/// A scheduler that wakes by its clock, as real ones do, made of the manual one.
final class WakingScheduler: ActivityScheduler {
    private let base: ManualActivityScheduler
    private let clock: ManualClock
    private let sleeping = Mutex<Task<Void, any Error>?>(nil)
    private let listening = Mutex<Task<Void, Never>?>(nil)

    init(clock: ManualClock) {
        self.base = ManualActivityScheduler(clock: clock)
        self.clock = clock
        let notices = clock.notices()
        let task = Task(executorPreference: clock.executor) { [weak self] in
            for await _ in notices { self?.wake() }
        }
        listening.withLock { $0 = task }
    }

    deinit {
        sleeping.withLock { $0?.cancel() }
        listening.withLock { $0?.cancel() }
    }

    private func wake() {
        base.deliverDue()
        sleepUntilNextEvent()
    }

    private func sleepUntilNextEvent() {
        let clock = clock
        sleeping.withLock { sleeping in
            sleeping?.cancel()
            sleeping = base.nextEvent.map { next in
                Task(executorPreference: clock.executor) { [weak self] in
                    try await clock.sleep(until: .wall(next))
                    self?.wake()
                }
            }
        }
    }

    var capabilities: ActivitySchedulerCapabilities { base.capabilities }

    func start(
        _ activity: ActivityName,
        schedule: ActivitySchedule
    ) async throws(ActivitySchedulerError) {
        try await base.start(activity, schedule: schedule)
        sleepUntilNextEvent()
    }

    func stop(_ activities: Set<ActivityName>) async {
        await base.stop(activities)
        sleepUntilNextEvent()
    }

    func monitored() async -> [ActivityName: MonitoredActivity] { await base.monitored() }

    func events() -> AsyncStream<ActivityEvent> { base.events() }
}
