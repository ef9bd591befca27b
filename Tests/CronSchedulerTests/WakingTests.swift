import CronScheduler
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

/// Work that a scheduler does once, or not at all: counted, since no run tells of it.
@Suite(.timeLimit(.minutes(10))) struct WakingTests {
    private let executor = ManualExecutor()
    private let manual: ManualClock
    private let clock: CountingClock
    private let lookups = Lookups()
    private let scheduler: CronScheduler

    /// The names of the zones that were looked up.
    private final class Lookups: Sendable {
        private let asked = Mutex<[String]>([])

        var names: [String] { asked.withLock { $0 } }

        func find(_ name: String) -> ZoneRules? {
            asked.withLock { $0.append(name) }
            return ZoneRules(name)
        }
    }

    init() throws {
        manual = ManualClock(wall: .seconds(try Instant.second("2026-03-02T08:00:00Z")), executor: executor)
        clock = CountingClock(manual)
        scheduler = CronScheduler(clock: clock, zones: { [lookups] in lookups.find($0) }, executor: executor)
    }

    private func add(_ name: String, _ expression: String, zone: String? = nil) async throws {
        try await scheduler.add(
            CronJob(ActivityName(name), at: try CronExpression(expression), zone: zone) { _ in }
        )
    }

    @Test("S-5: a sleeping scheduler is woken by what is due earlier, and by nothing else")
    func sleeps() async throws {
        executor.runUntilIdle()
        #expect(clock.counts().sleeps == 0)
        try await add("first", "0 9 * * *")
        executor.runUntilIdle()
        #expect(clock.counts().sleeps == 1)
        for minute in 0..<20 {
            try await add("later-\(minute)", "\(minute) 9 * * *")
            executor.runUntilIdle()
        }
        try await scheduler.remove(["later-0", "later-7", "unknown"])
        executor.runUntilIdle()
        #expect(clock.counts().sleeps == 0, "at the same time or later")
        try await add("earlier", "30 8 * * *")
        executor.runUntilIdle()
        #expect(clock.counts().sleeps == 1)
        #expect(manual.sleeperCount == 1)
    }

    @Test("S-5: each time that comes costs one look at the clock and one sleep")
    func looks() async throws {
        try await add("job", "* * * * *")
        executor.runUntilIdle()
        _ = clock.counts()
        await manual.advance(by: .seconds(600))
        let counts = clock.counts()
        #expect(counts.times == 10)
        #expect(counts.sleeps == 10)
    }

    @Test("S-5: without anything ahead nothing sleeps, and the next job begins anew")
    func rests() async throws {
        try await add("once", "0 30 8 2 3 * 2026")
        await manual.advance(by: .seconds(3_600))
        #expect(manual.sleeperCount == 0)
        _ = clock.counts()
        try await add("again", "0 10 * * *")
        executor.runUntilIdle()
        #expect(clock.counts().sleeps == 1)
        #expect(manual.sleeperCount == 1)
    }

    @Test("S-2: a zone is looked up once, whatever the number of jobs and of changes of the clock")
    func zones() async throws {
        let daily = try CronExpression("0 12 * * *")
        for round in 0..<2 {
            try await scheduler.add(
                (0..<20).map { number in
                    let zone: String? = number % 2 == 0 ? "Asia/Kathmandu" : nil
                    return CronJob(ActivityName("job-\(round)-\(number)"), at: daily, zone: zone) { _ in }
                }
            )
        }
        #expect(lookups.names.sorted() == ["Asia/Kathmandu", "UTC"])
        #expect(scheduler.job("job-1-0")?.zone == "Asia/Kathmandu")
        #expect(scheduler.job("job-1-1")?.zone == "UTC")
        await manual.setWall(manual.now.wall + .seconds(60))
        #expect(lookups.names.count == 2, "the zone is the same")
        await manual.setZone(try ManualZone(named: "Europe/London"))
        #expect(lookups.names.last == "Europe/London" && lookups.names.count == 3)
    }

    @Test("S-2: a zone that changes without a word is followed from the next wake on")
    func unannouncedZone() async throws {
        let clock = CountingClock(manual, tellsOfChanges: false)
        let scheduler = CronScheduler(clock: clock, zones: { ZoneRules($0) }, executor: executor)
        try await scheduler.add([
            CronJob("daily", at: try CronExpression("0 9 * * *")) { _ in },
            CronJob("tick", at: try CronExpression("* * * * *")) { _ in },
        ])
        executor.runUntilIdle()
        #expect(scheduler.job("daily")?.next == .seconds(try Instant.second("2026-03-02T09:00:00Z")))
        await manual.setZone(try ManualZone(named: "Asia/Tokyo"))
        await manual.advance(by: .seconds(60))
        #expect(scheduler.job("daily")?.next == .seconds(try Instant.second("2026-03-03T00:00:00Z")))
    }

    @Test("S-5: a clock that is set without a word is noticed from a tenth of a second on")
    func unannounced() async throws {
        for (shift, isFollowed) in [
            (Duration.microseconds(100_000), false), (.microseconds(100_001), true),
            (.microseconds(-100_000), false), (.microseconds(-100_001), true),
        ] {
            let executor = ManualExecutor()
            let manual = ManualClock(wall: .seconds(1_772_438_400), executor: executor)
            let clock = CountingClock(manual, tellsOfChanges: false)
            let scheduler = CronScheduler(clock: clock, executor: executor)
            try await scheduler.add([
                CronJob("pause", at: try CronExpression("@every 1h")) { _ in },
                CronJob("tick", at: try CronExpression("* * * * *")) { _ in },
            ])
            executor.runUntilIdle()
            let due = try #require(scheduler.job("pause")?.next)
            await manual.setWall(manual.now.wall + shift)
            await manual.advance(by: .seconds(70))
            // In whole milliseconds, as all phases are.
            let expected = isFollowed ? due + (shift > .zero ? .milliseconds(100) : .milliseconds(-101)) : due
            #expect(scheduler.job("pause")?.next == expected, "\(shift)")
        }
    }

    @Test("S-3: a scheduler that is dropped starts nothing that was due, ends its streams and is gone")
    func dropped() async throws {
        final class Token: Sendable {}
        let runs = Atomic(0)
        weak var kept: Token?
        let events: AsyncStream<ActivityEvent>
        let problems: AsyncStream<CronSchedulerError>
        do {
            let token = Token()
            kept = token
            let scheduler = CronScheduler(
                clock: manual,
                zones: { name in withExtendedLifetime(token) { ZoneRules(name) } },
                executor: executor
            )
            events = scheduler.events()
            problems = scheduler.problems()
            try await scheduler.add(
                CronJob("job", at: try CronExpression("@reboot")) { _ in runs.add(1, ordering: .relaxed) }
            )
        }
        executor.runUntilIdle()
        let count = runs.load(ordering: .relaxed)
        #expect(count == 0)
        for await _ in events {}
        for await _ in problems {}
        #expect(kept == nil, "no task keeps it")
    }

    @Test("S-4: adding no job asks the journal nothing")
    func nothing() async throws {
        let store = RecordingSecretStore(InMemorySecretStore())
        let bench = try Workbench(journal: SecretStoreRunJournal(store))
        try await bench.scheduler.add([])
        #expect(store.calls.isEmpty)
    }
}
