import CronScheduler
import PortcullisCore
import PortcullisTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct JobTests {
    @Test("S-3: a job runs at its times, and is told them")
    func runs() async throws {
        let bench = try Workbench()
        try await bench.scheduler.add(bench.job("a", "*/20 * * * *"))
        #expect(bench.scheduler.job("a")?.next == .seconds(try Instant.second("2026-03-02T08:20:00Z")))
        await bench.clock.advance(by: .seconds(3_600))
        let runs = bench.runs()
        #expect(runs.map(\.scheduled) == runs.map(\.started))
        #expect(
            runs.map { Instant.text(Int($0.scheduled.components.seconds), "UTC") }
                == ["2026-03-02T08:20:00Z", "2026-03-02T08:40:00Z", "2026-03-02T09:00:00Z"]
        )
        #expect(runs.allSatisfy { $0.missed == 0 && $0.job == "a" })
    }

    @Test("S-3: jobs run in the order of their times")
    func order() async throws {
        let bench = try Workbench()
        try await bench.scheduler.add([
            bench.job("late", "30 * * * * *"), bench.job("early", "10 * * * * *"),
            bench.job("between", "20 * * * * *"),
        ])
        await bench.clock.advance(by: .seconds(60))
        #expect(bench.runs().map(\.job) == ["early", "between", "late"])
    }

    @Test("S-3: an earlier job that is added while the scheduler sleeps runs in time")
    func earlierJob() async throws {
        let bench = try Workbench()
        try await bench.scheduler.add(bench.job("daily", "0 9 * * *"))
        await bench.clock.advance(by: .seconds(60))
        #expect(bench.clock.sleeperCount == 1)
        try await bench.scheduler.add(bench.job("soon", "2 8 * * *"))
        await bench.clock.advance(by: .seconds(60))
        #expect(bench.runs().map(\.job) == ["soon"])
        #expect(bench.clock.sleeperCount == 1)
    }

    @Test("S-3: a job that is removed runs no more, and others go on")
    func remove() async throws {
        let bench = try Workbench()
        try await bench.scheduler.add([bench.job("a", "* * * * *"), bench.job("b", "* * * * *")])
        await bench.clock.advance(by: .seconds(60))
        try await bench.scheduler.remove(["a", "unknown"])
        #expect(bench.runs().map(\.job) == ["a", "b"])
        await bench.clock.advance(by: .seconds(60))
        #expect(bench.runs().map(\.job) == ["b"])
        #expect(bench.scheduler.jobs().keys.sorted { $0.rawValue < $1.rawValue } == ["b"])
        try await bench.scheduler.remove(["b"])
        await bench.clock.advance(by: .seconds(3_600))
        #expect(bench.runs().isEmpty)
        #expect(bench.clock.sleeperCount == 0)
    }

    @Test("S-3: the place of a removed job goes to another one without mixing their runs up")
    func reusedPlace() async throws {
        let bench = try Workbench()
        let gate = Gate()
        gate.close()
        try await bench.scheduler.add(bench.job("a", "1 8 * * *") { _ in _ = await gate.pass() })
        await bench.clock.advance(by: .seconds(60))
        try await bench.scheduler.remove(["a"])
        try await bench.scheduler.add(bench.job("b", "* * * * *"))
        await bench.clock.advance(by: .seconds(60))
        gate.open()
        bench.settle()
        await bench.clock.advance(by: .seconds(60))
        #expect(bench.runs().map(\.job) == ["a", "b", "b"])
        #expect(bench.scheduler.job("b")?.running == 0)
    }

    @Test("S-3: changing an expression never back-fires; an equal one changes no time")
    func replace() async throws {
        let bench = try Workbench()
        try await bench.scheduler.add(bench.job("a", "0 * * * *"))
        await bench.clock.advance(by: .seconds(1_800))
        try await bench.scheduler.add(bench.job("a", "15 * * * *"))
        #expect(bench.scheduler.job("a")?.next == .seconds(try Instant.second("2026-03-02T09:15:00Z")))
        try await bench.scheduler.add(bench.job("a", "15 * * * *"))
        await bench.clock.advance(by: .seconds(3_600))
        #expect(bench.times() == ["2026-03-02T09:15:00Z"])
    }

    @Test("S-1: @every is anchored where it is started, to the fraction of a second")
    func every() async throws {
        let bench = try Workbench()
        await bench.clock.advance(by: .milliseconds(250))
        try await bench.scheduler.add(bench.job("@every 90s"))
        await bench.clock.advance(by: .seconds(200))
        let start = Duration.seconds(try Instant.second("2026-03-02T08:00:00Z")) + .milliseconds(250)
        #expect(bench.runs().map(\.scheduled) == [start + .seconds(90), start + .seconds(180)])
    }

    @Test("S-1: @reboot runs once when it is started")
    func reboot() async throws {
        let bench = try Workbench()
        try await bench.scheduler.add(bench.job("@reboot"))
        bench.settle()
        await bench.clock.advance(by: .seconds(100_000))
        #expect(bench.runs().count == 1)
        #expect(bench.scheduler.job("job")?.next == nil)
    }

    @Test("S-1: what can never fire is refused, and nothing is changed")
    func never() async throws {
        let bench = try Workbench()
        for text in ["0 0 30 2 *", "0 0 0 1 1 * 2020"] {
            let job = try bench.job(text)
            let error = await #expect(throws: CronSchedulerError.self) { try await bench.scheduler.add(job) }
            #expect(error?.code == .neverFires)
        }
        #expect(bench.scheduler.jobs().isEmpty)
    }

    @Test("S-3: invalid jobs are refused: zones, numbers and long names")
    func invalid() async throws {
        let bench = try Workbench()
        let jobs: [(CronJob, CronSchedulerError.Code)] = [
            (try bench.job("a", "* * * * *", zone: "Mars/Olympus"), .unknownZone),
            (try bench.job("a", "* * * * *", jitter: .seconds(-1)), .invalidJob),
            (try bench.job("a", "* * * * *", jitter: .seconds(90_000)), .invalidJob),
            (try bench.job("a", "* * * * *", overlap: .queue(limit: 0)), .invalidJob),
            (try bench.job("a", "* * * * *", missed: .all(limit: 0)), .invalidJob),
            (try bench.job(String(repeating: "é", count: 513), "* * * * *"), .invalidJob),
        ]
        for (job, code) in jobs {
            let good = try bench.job("good", "* * * * *")
            let error = await #expect(throws: CronSchedulerError.self) {
                try await bench.scheduler.add([good, job])
            }
            #expect(error?.code == code)
        }
        #expect(bench.scheduler.jobs().isEmpty)
    }

    @Test("S-2: a job goes by its own zone: the expression's, its own, or the clock's")
    func zones() async throws {
        let bench = try Workbench(zone: "America/New_York")
        try await bench.scheduler.add([
            bench.job("clock", "0 12 * * *"), bench.job("own", "0 12 * * *", zone: "Europe/London"),
            bench.job("expression", "TZ=Asia/Kathmandu 0 12 * * *", zone: "Europe/London"),
        ])
        let jobs = bench.scheduler.jobs()
        #expect(jobs["clock"]?.zone == "America/New_York")
        #expect(jobs["clock"]?.next == .seconds(try Instant.second("2026-03-02T17:00:00Z")))
        #expect(jobs["own"]?.next == .seconds(try Instant.second("2026-03-02T12:00:00Z")))
        #expect(jobs["expression"]?.next == .seconds(try Instant.second("2026-03-03T06:15:00Z")))
    }

    @Test("S-3: jitter is stable per job, within its limit, and not part of the scheduled time")
    func jitter() async throws {
        var offsets: [[Duration]] = []
        for _ in 0..<2 {
            let bench = try Workbench()
            for number in 0..<50 {
                try await bench.scheduler.add(
                    bench.job("job-\(number)", "0 * * * *", jitter: .seconds(600))
                )
            }
            await bench.clock.advance(by: .seconds(9_000))
            let runs = bench.runs().sorted {
                ($0.job.rawValue, $0.scheduled) < ($1.job.rawValue, $1.scheduled)
            }
            #expect(runs.count == 100)
            #expect(runs.allSatisfy { Int($0.scheduled.components.seconds).isMultiple(of: 3_600) })
            offsets.append(runs.map { $0.started - $0.scheduled })
        }
        #expect(offsets[0] == offsets[1])
        #expect(Set(offsets[0]).count > 40)
        #expect(offsets[0].allSatisfy { $0 >= .zero && $0 <= .seconds(600) })
    }

    @Test("S-3: the shortest jitter is none or one millisecond")
    func shortestJitter() async throws {
        let bench = try Workbench()
        for number in 0..<50 {
            try await bench.scheduler.add(bench.job("job-\(number)", "0 * * * *", jitter: .milliseconds(1)))
        }
        await bench.clock.advance(by: .seconds(3_601))
        let offsets = Set(bench.runs().map { $0.started - $0.scheduled })
        #expect(offsets == [.zero, .milliseconds(1)])
    }

    @Test("S-3: jitter moves the anchor of @every, and a grace of nothing lets timers be late")
    func jitterOfPauses() async throws {
        let bench = try Workbench()
        for number in 0..<20 {
            try await bench.scheduler.add(bench.job("job-\(number)", "@every 1h", jitter: .seconds(600)))
        }
        await bench.clock.advance(by: .seconds(2 * 3_600))
        let starts = Set(bench.runs().map(\.started))
        #expect(starts.count > 15)
        let late = try Workbench()
        try await late.scheduler.add(
            CronJob("job", at: try CronExpression("@reboot"), missed: .skip, grace: .zero) { _ in }
        )
        late.settle()
        #expect(late.scheduler.job("job")?.last != nil)
    }

    @Test("S-3: what a job holds on to may ask the scheduler when it goes")
    func releasedOutside() async throws {
        final class Asker: Sendable {
            let scheduler: CronScheduler
            init(_ scheduler: CronScheduler) { self.scheduler = scheduler }
            deinit { _ = scheduler.jobs() }
        }
        let bench = try Workbench()
        for name in ["a", "b"] {
            let asker = Asker(bench.scheduler)
            try await bench.scheduler.add(
                bench.job(name, "* * * * *") { _ in withExtendedLifetime(asker) {} }
            )
        }
        try await bench.scheduler.remove(["a"])
        try await bench.scheduler.add(bench.job("b", "*/2 * * * *"))
        #expect(bench.scheduler.jobs().count == 1)
    }

    @Test("S-5: one task sleeps for a thousand jobs, and none for no job")
    func oneSleeper() async throws {
        let bench = try Workbench()
        #expect(bench.clock.sleeperCount == 0)
        for number in 0..<1_000 {
            try await bench.scheduler.add(bench.job("job-\(number)", "\(number % 60) \(number % 24) * * *"))
        }
        bench.settle()
        #expect(bench.clock.sleeperCount == 1)
        await bench.clock.advance(by: .seconds(86_400))
        #expect(bench.clock.sleeperCount == 1)
        #expect(bench.runs().count == 1_000)
    }

    @Test("S-6: a year of mixed jobs runs exactly when the expressions say, in order")
    func year() async throws {
        let bench = try Workbench(zone: "Europe/London")
        let texts = ["5 */6 * * *", "30 1 * * *", "0 0 L * *", "15 10 * * MON-FRI", "0 12 29 2 *", "@weekly"]
        let start = Int(bench.clock.now.wall.components.seconds)
        let zone = try #require(ZoneRules("Europe/London"))
        var expected: [Int] = []
        for text in texts {
            let expression = try CronExpression(text)
            var second = start
            while let next = expression.nextSecond(after: second, in: zone), next <= start + 365 * 86_400 {
                expected.append(next)
                second = next
            }
            try await bench.scheduler.add(bench.job(text, text))
        }
        await bench.clock.advance(by: .seconds(365 * 86_400))
        #expect(bench.runs().map { Int($0.scheduled.components.seconds) } == expected.sorted())
    }
}

extension Workbench {
    /// A job of one name at the times of an expression.
    func job(_ expression: String) throws -> CronJob { try job("job", expression) }
}
