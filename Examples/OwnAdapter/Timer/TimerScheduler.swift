internal import AdapterKit
internal import PortcullisCore
internal import Synchronization

/// An activity scheduler with one sleeping task, for a process that runs as long as its activities.
///
/// The monitored activities are lost when the process ends.
final class TimerScheduler: ActivityScheduler {
    private struct State {
        var timetable = ActivityTimetable()
        var zone: String
        var timer: Task<Void, Never>?
    }

    private let clock: any LockClock
    private let executor: (any TaskExecutor)?
    private let calendar: DayCalendar
    private let state: Mutex<State>
    private let streams = Broadcaster<ActivityEvent>()
    private let follower = Mutex<Task<Void, Never>?>(nil)

    /// A scheduler that monitors nothing yet.
    ///
    /// - Parameters:
    ///   - clock: the scheduler's clock.
    ///   - executor: where the scheduler's tasks run; `nil` for Swift's pool. A test passes one that it runs
    ///     itself.
    init(clock: any LockClock, executor: (any TaskExecutor)? = nil) {
        (self.clock, self.executor) = (clock, executor)
        calendar = DayCalendar(clock)
        state = Mutex(State(zone: clock.zone))
        let notices = clock.notices()
        follower.withLock { follower in
            follower = Task(executorPreference: executor) { [weak self] in
                for await _ in notices { self?.look() }
            }
        }
    }

    deinit {
        follower.withLock { $0 }?.cancel()
        state.withLock { $0.timer }?.cancel()
    }

    var capabilities: ActivitySchedulerCapabilities { [.tellsNextEvent, .givesWarnings, .takesOneShots] }

    func start(_ activity: ActivityName, schedule: ActivitySchedule) async throws(ActivitySchedulerError) {
        try change { timetable, now throws(ActivitySchedulerError) in
            try timetable.start(activity, schedule: schedule, at: now, in: calendar)
        }
    }

    func stop(_ activities: Set<ActivityName>) async {
        change { timetable, now in timetable.stop(activities, at: now, in: calendar) }
    }

    func monitored() async -> [ActivityName: MonitoredActivity] { state.withLock { $0.timetable.monitored } }

    func events() -> AsyncStream<ActivityEvent> { streams.stream() }

    /// Sends the events that are due by the clock and its present zone.
    private func look() {
        let zone = clock.zone
        let isOther = state.withLock { state in
            defer { state.zone = zone }
            return state.zone != zone
        }
        change { timetable, now in
            isOther
                ? timetable.recalculate(at: now, in: calendar) : timetable.advance(to: now, in: calendar)
        }
    }

    /// Changes the timetable, sends the events of the change, and sets the timer to the next event.
    private func change<Failure: Error>(
        _ body: (inout ActivityTimetable, Duration) throws(Failure) -> [ActivityEvent]
    ) throws(Failure) {
        let old = try state.withLock { state throws(Failure) in
            // The events are sent within the lock, so that they have the order of their causes.
            streams.send(contentsOf: try body(&state.timetable, clock.now.wall))
            defer { state.timer = timer(at: state.timetable.nextEvent) }
            return state.timer
        }
        old?.cancel()
    }

    private func timer(at wall: Duration?) -> Task<Void, Never>? {
        guard let wall else { return nil }
        return Task(executorPreference: executor) { [weak self, clock] in
            do { try await clock.sleep(until: .wall(wall)) } catch { return }
            self?.look()
        }
    }
}
