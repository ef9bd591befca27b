import AdapterKit
import PortcullisCore
import PortcullisTesting
import Synchronization
import SystemClock
import Testing

final class TaskScheduler: ActivityScheduler {
    private struct State {
        var timetable = ActivityTimetable()
        var zone: String
        var timer: Task<Void, Never>?
        var follower: Task<Void, Never>?
    }

    let capabilities: ActivitySchedulerCapabilities = [.tellsNextEvent, .givesWarnings, .takesOneShots]
    private let clock: any LockClock
    private let executor: (any TaskExecutor)?
    private let streams = Broadcaster<ActivityEvent>()
    private let state: Mutex<State>

    init(clock: any LockClock, executor: (any TaskExecutor)? = nil) {
        (self.clock, self.executor) = (clock, executor)
        state = Mutex(State(zone: clock.zone))
        let follower = Task(executorPreference: executor) { [weak self, notices = clock.notices()] in
            for await _ in notices { self?.look() }
        }
        state.withLock { $0.follower = follower }
    }

    deinit { for task in state.withLock({ [$0.timer, $0.follower] }) { task?.cancel() } }

    func start(_ activity: ActivityName, schedule: ActivitySchedule) async throws(ActivitySchedulerError) {
        try change { state, now, calendar throws(ActivitySchedulerError) in
            try state.timetable.start(activity, schedule: schedule, at: now, in: calendar)
        }
    }
    func stop(_ activities: Set<ActivityName>) async {
        change { state, now, calendar in state.timetable.stop(activities, at: now, in: calendar) }
    }
    func monitored() async -> [ActivityName: MonitoredActivity] { state.withLock { $0.timetable.monitored } }
    func events() -> AsyncStream<ActivityEvent> { streams.stream() }

    private func look() {
        change { [zone = clock.zone] state, now, calendar in
            defer { state.zone = zone }
            return state.zone == zone
                ? state.timetable.advance(to: now, in: calendar)
                : state.timetable.recalculate(at: now, in: calendar)
        }
    }

    /// Changes the timetable, hands out what that causes, and sets the timer to the next event.
    private func change<Failure: Error>(
        _ body: (inout State, Duration, DayCalendar) throws(Failure) -> [ActivityEvent]
    ) throws(Failure) {
        let old = try state.withLock { state throws(Failure) in
            // Within the lock: events have the order of the calls that caused them.
            streams.send(contentsOf: try body(&state, clock.now.wall, DayCalendar(clock)))
            defer { state.timer = state.timetable.nextEvent.map(timer) }
            return state.timer
        }
        old?.cancel()
    }

    private func timer(at wall: Duration) -> Task<Void, Never> {
        Task(executorPreference: executor) { [weak self, clock] in
            do { try await clock.sleep(until: .wall(wall)) } catch { return }
            self?.look()
        }
    }
}

@Suite("Guides: a scheduler", .timeLimit(.minutes(5)))
struct SchedulerPortGuide {
    @Test("X-3: keeps the contract", arguments: ActivitySchedulerContract.allCases)
    func contract(_ clause: ActivitySchedulerContract) async throws {
        try await clause.check(
            ActivitySchedulerSubject { clock in TaskScheduler(clock: clock, executor: clock.executor) }
        )
    }

    @Test("X-3: keeps it in real time", arguments: ActivitySchedulerContract.allCases)
    func running(_ clause: ActivitySchedulerContract) async throws {
        let clock = SystemClock()
        try await clause.check(ActivitySchedulerSubject(running: clock) { TaskScheduler(clock: clock) })
    }

    private typealias MyScheduler = ManualActivityScheduler

    @Test("X-3: one that has to be asked", arguments: ActivitySchedulerContract.allCases)
    func asked(_ clause: ActivitySchedulerContract) async throws {
        let polled = ActivitySchedulerSubject(
            unsupported: [.setBackALittle, .setBackFar],
            clock: { wall, zone in ManualClock(wall: wall, zone: zone) },
            settle: { scheduler in (scheduler as? MyScheduler)?.deliverDue() },
            make: { clock in MyScheduler(clock: clock) }
        )
        try await clause.check(polled)
    }

    @Test("X-3: a report without a test framework")
    func report() async throws {
        let subject = ActivitySchedulerSubject { clock in
            TaskScheduler(clock: clock, executor: clock.executor)
        }
        let report = await ContractReport(of: ActivitySchedulerContract.self) {
            clause throws(ContractViolation) in
            try await clause.check(subject)
        }
        print(report)
        #expect(report.isKept)
        #expect(report.notApplicable.map(\.id) == ["AS-38"])
    }

    @Test("X-3: a code of the adapter's own")
    func code() {
        #expect(ActivitySchedulerErrorCode.tooManyTimers.name == "taskScheduler.tooManyTimers")
    }
}

extension ActivitySchedulerErrorCode {
    static let tooManyTimers = Self("taskScheduler.tooManyTimers")
}
