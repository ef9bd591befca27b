import CronScheduler
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct ShutDownTests {
    @Test("S-3: shutting down waits for the runs that go on, and starts no other")
    func graceful() async throws {
        let bench = try Workbench()
        let gate = Gate()
        let isOver = Atomic(false)
        gate.close()
        try await bench.scheduler.add(
            bench.job("job", "* * * * *", overlap: .queue(limit: 9)) { _ in _ = await gate.pass() }
        )
        await bench.clock.advance(by: .seconds(180))
        let ending = Task(executorPreference: bench.executor) {
            await bench.scheduler.shutDown()
            isOver.store(true, ordering: .relaxed)
        }
        bench.settle()
        let isOverEarly = isOver.load(ordering: .relaxed)
        #expect(!isOverEarly)
        gate.open()
        bench.settle()
        await ending.value
        await bench.clock.advance(by: .seconds(3_600))
        #expect(bench.runs().count == 1)
        #expect(bench.clock.sleeperCount == 0)
    }

    @Test("S-3: of a crowd that is due at once, on many threads, all run and all are waited for")
    func crowd() async throws {
        let clock = ManualClock()
        let scheduler = CronScheduler(clock: clock)
        let gate = Gate()
        let ended = Atomic(0)
        gate.close()
        let hourly = try CronExpression("0 * * * *")
        try await scheduler.add(
            (0..<1_000).map { number in
                CronJob(ActivityName("job-\(number)"), at: hourly) { _ in
                    _ = await gate.pass()
                    ended.add(1, ordering: .relaxed)
                }
            }
        )
        await clock.advance(by: .seconds(3_600))
        await gate.waitForHeld(1_000)
        #expect(scheduler.jobs().values.allSatisfy { $0.running == 1 })
        async let ending: Void = scheduler.shutDown()
        gate.open()
        await ending
        let count = ended.load(ordering: .relaxed)
        #expect(count == 1_000)
    }

    @Test("S-3: runs can be cancelled when shutting down")
    func cancelling() async throws {
        let bench = try Workbench()
        let gate = Gate()
        gate.close()
        try await bench.scheduler.add(bench.job("job", "* * * * *") { _ in _ = await gate.pass() })
        await bench.clock.advance(by: .seconds(60))
        // A gate lets cancelled tasks pass.
        await bench.shutDown(cancellingRuns: true)
        #expect(gate.heldCount == 0)
    }

    @Test("S-3: a scheduler that was shut down refuses, and its streams end")
    func refuses() async throws {
        let bench = try Workbench()
        let events = bench.scheduler.events()
        let problems = bench.scheduler.problems()
        await bench.shutDown()
        for await _ in events {}
        for await _ in problems {}
        for await _ in bench.scheduler.events() {}
        let job = try bench.job("* * * * *")
        let error = await #expect(throws: CronSchedulerError.self) { try await bench.scheduler.add(job) }
        #expect(error?.code == .shutDown)
        let day = ActivitySchedule(
            start: try #require(TimeOfDay(hour: 0, minute: 0)),
            end: try #require(TimeOfDay(hour: 1, minute: 0)),
            repeats: true
        )
        let refusal = await #expect(throws: ActivitySchedulerError.self) {
            try await bench.scheduler.start("a", schedule: day)
        }
        #expect(refusal?.code == .unavailable)
    }

    @Test("S-3: a scheduler that is dropped starts nothing any more")
    func dropped() async throws {
        let executor = ManualExecutor()
        let clock = ManualClock(executor: executor)
        let runs = Atomic(0)
        do {
            let scheduler = CronScheduler(clock: clock, executor: executor)
            try await scheduler.add(
                CronJob("job", at: try CronExpression("* * * * *")) { _ in runs.add(1, ordering: .relaxed) }
            )
            await clock.advance(by: .seconds(60))
        }
        await clock.advance(by: .seconds(600))
        let count = runs.load(ordering: .relaxed)
        #expect(count == 1)
        #expect(clock.sleeperCount == 0)
    }

    @Test("S-3: every run is an event for whoever listens")
    func events() async throws {
        let bench = try Workbench()
        var events = bench.scheduler.events().makeAsyncIterator()
        try await bench.scheduler.add(bench.job("a", "* * * * *"))
        await bench.clock.advance(by: .seconds(60))
        let event = await events.next()
        #expect(event?.kind == .job)
        #expect(event?.activity == "a")
        #expect(event?.scheduled == .seconds(try Instant.second("2026-03-02T08:01:00Z")))
        #expect(bench.scheduler.capabilities == [.tellsNextEvent, .runsJobs, .givesWarnings, .takesOneShots])
    }
}
