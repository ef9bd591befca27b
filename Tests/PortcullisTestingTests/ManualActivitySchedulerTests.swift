import PortcullisCore
import PortcullisTesting
import Testing

@Suite("ManualActivityScheduler (X-3)", .timeLimit(.minutes(5)))
struct ManualActivitySchedulerTests {
    static let subject = ActivitySchedulerSubject(
        settle: { ($0 as? ManualActivityScheduler)?.deliverDue() },
        make: { ManualActivityScheduler(clock: $0) }
    )

    private static func expected(_ clause: ActivitySchedulerContract) -> ContractResult {
        clause == .refusesUnsupported ? .notApplicable("the scheduler can do all of it") : .kept
    }

    @Test("X-3: the manual scheduler keeps the contract", arguments: ActivitySchedulerContract.allCases)
    func contract(_ clause: ActivitySchedulerContract) async throws {
        #expect(try await clause.check(Self.subject) == Self.expected(clause))
    }

    @Test("X-3: it keeps it on a clock without an executor too")
    func withoutExecutor() async throws {
        let subject = ActivitySchedulerSubject(
            clock: { ManualClock(wall: $0, zone: $1) },
            settle: { ($0 as? ManualActivityScheduler)?.deliverDue() },
            make: { ManualActivityScheduler(clock: $0) }
        )
        for clause in [ActivitySchedulerContract.startInside, .longSleep, .zoneOtherDate, .slowTaker] {
            try await clause.check(subject)
        }
    }

    @Test(
        "X-3: a scheduler that wakes by its clock can be checked too",
        arguments: ActivitySchedulerContract.allCases
    )
    func waking(_ clause: ActivitySchedulerContract) async throws {
        let result = try await clause.check(
            ActivitySchedulerSubject { clock in WakingScheduler(clock: clock) }
        )
        #expect(result == Self.expected(clause))
    }

    private func schedule(_ start: Int, _ end: Int) throws -> ActivitySchedule {
        ActivitySchedule(
            start: try #require(TimeOfDay(hour: start, minute: 0)),
            end: try #require(TimeOfDay(hour: end, minute: 0)),
            repeats: true
        )
    }

    @Test(
        "S-3: nothing comes before it is delivered; any event can be; calls are recorded, failures scripted"
    )
    func scripted() async throws {
        let clock = ManualClock()
        let scheduler = ManualActivityScheduler(clock: clock)
        var events = scheduler.events().makeAsyncIterator()
        let name = ActivityName("reading")
        let later = try schedule(13, 14)
        scheduler.failNext(ActivitySchedulerError(code: .systemFailure, message: "full"))
        let error = await #expect(throws: ActivitySchedulerError.self) {
            try await scheduler.start(name, schedule: later)
        }
        #expect(error?.code == .systemFailure)
        #expect(await scheduler.monitored().isEmpty)

        try await scheduler.start(name, schedule: later)
        #expect(scheduler.nextEvent == clock.now.wall + .seconds(3_600))
        await clock.advance(by: .seconds(5_400))
        let foreign = ActivityEvent(activity: ActivityName("other"), kind: .job, scheduled: .zero)
        scheduler.deliver(foreign)
        #expect(await events.next() == foreign)
        scheduler.deliverDue()
        #expect(await events.next()?.kind == .intervalDidStart)
        await scheduler.stop([name])
        #expect(await events.next()?.kind == .intervalDidEnd)
        #expect(scheduler.calls == [.start(name, later), .start(name, later), .stop([name])])
    }

    @Test("S-3: streams end with the scheduler")
    func ends() async {
        var scheduler: ManualActivityScheduler? = ManualActivityScheduler(clock: ManualClock())
        let events = scheduler?.events()
        scheduler = nil
        var iterator = events?.makeAsyncIterator()
        #expect(await iterator?.next() == nil)
    }
}
