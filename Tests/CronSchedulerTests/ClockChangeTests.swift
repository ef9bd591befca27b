import CronScheduler
import PortcullisCore
import PortcullisTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct ClockChangeTests {
    @Test("S-5: a clock that is set forward makes runs due at once")
    func forward() async throws {
        let bench = try Workbench()
        try await bench.scheduler.add([bench.job("fixed", "30 9 * * *"), bench.job("elapsed", "0 * * * *")])
        bench.settle()
        try await bench.setWall("2026-03-02T10:10:00Z")
        let runs = bench.runs()
        #expect(runs.map(\.job) == ["fixed", "elapsed"])
        #expect(runs.map(\.missed) == [0, 1])
        await bench.clock.advance(by: .seconds(3_600))
        #expect(bench.times() == ["2026-03-02T11:00:00Z"])
    }

    @Test("S-5: a clock that is set back a little repeats nothing at fixed wall times; elapsed time goes on")
    func correction() async throws {
        let bench = try Workbench()
        try await bench.scheduler.add([
            bench.job("fixed", "30 8,9 * * *"), bench.job("elapsed", "*/30 * * * *"),
        ])
        await bench.clock.advance(by: .seconds(35 * 60))
        #expect(bench.runs().count == 2)
        try await bench.setWall("2026-03-02T07:45:00Z")
        await bench.clock.advance(by: .seconds(60 * 60))
        #expect(bench.runs().map(\.job) == ["elapsed", "elapsed"])
        await bench.clock.advance(by: .seconds(60 * 60))
        #expect(bench.runs().filter { $0.job == "fixed" }.map(\.missed) == [0])
    }

    @Test("S-5: a clock that is set back by more than three hours is believed")
    func believed() async throws {
        let bench = try Workbench()
        try await bench.scheduler.add(bench.job("30 8 * * *"))
        await bench.clock.advance(by: .seconds(35 * 60))
        #expect(bench.times() == ["2026-03-02T08:30:00Z"])
        try await bench.setWall("2026-03-02T05:00:00Z")
        await bench.clock.advance(by: .seconds(4 * 3_600))
        #expect(bench.times() == ["2026-03-02T08:30:00Z"])
    }

    @Test("S-5: the pauses of @every are the same whatever is done to the wall clock")
    func every() async throws {
        let bench = try Workbench()
        try await bench.scheduler.add(bench.job("@every 10m"))
        await bench.clock.advance(by: .seconds(900))
        #expect(bench.runs().count == 1)
        try await bench.setWall("2030-01-01T00:00:00Z")
        #expect(bench.runs().isEmpty)
        await bench.clock.advance(by: .seconds(299))
        #expect(bench.runs().isEmpty)
        await bench.clock.advance(by: .seconds(1))
        #expect(bench.runs().map(\.missed) == [0])
        try await bench.setWall("2020-01-01T00:00:00Z")
        await bench.clock.advance(by: .seconds(600))
        #expect(bench.runs().map(\.missed) == [0])
    }

    @Test("S-5: jobs of the clock's zone follow the person to another; jobs with a zone of their own stay")
    func travel() async throws {
        let bench = try Workbench(zone: "Europe/London")
        try await bench.scheduler.add([
            bench.job("home", "0 9 * * *", zone: "Europe/London"), bench.job("person", "0 9 * * *"),
        ])
        bench.settle()
        await bench.clock.setZone(try ManualZone(named: "America/New_York"))
        #expect(bench.scheduler.job("person")?.zone == "America/New_York")
        #expect(bench.scheduler.job("person")?.next == .seconds(try Instant.second("2026-03-02T14:00:00Z")))
        #expect(bench.scheduler.job("home")?.next == .seconds(try Instant.second("2026-03-02T09:00:00Z")))
    }

    @Test("S-5: a zone that is not known is told, and the last one goes on")
    func unknownZone() async throws {
        let bench = try Workbench(zone: "Europe/London")
        try await bench.scheduler.add(bench.job("0 9 * * *"))
        bench.settle()
        var problems = bench.scheduler.problems().makeAsyncIterator()
        await bench.clock.setZone(ManualZone("Mars/Olympus", offset: .zero))
        #expect(await problems.next()?.code == .unknownZone)
        await bench.clock.advance(by: .seconds(3_600))
        #expect(bench.runs().count == 1)
    }

    @Test("S-2: a night of 23 and one of 25 hours, as they happen")
    func nights() async throws {
        let bench = try Workbench(at: "2026-03-08T05:30:00Z", zone: "America/New_York")
        try await bench.scheduler.add([bench.job("gap", "30 2 * * *"), bench.job("hourly", "0 * * * *")])
        await bench.clock.advance(by: .seconds(2 * 3_600))
        #expect(
            bench.runs().map {
                "\($0.job.rawValue) \(Instant.text(Int($0.scheduled.components.seconds), "UTC"))"
            }
                == ["hourly 2026-03-08T06:00:00Z", "gap 2026-03-08T07:00:00Z", "hourly 2026-03-08T07:00:00Z"]
        )
        try await bench.setWall("2026-11-01T04:30:00Z")
        _ = bench.runs()
        try await bench.scheduler.add(bench.job("overlap", "30 1 * * *"))
        await bench.clock.advance(by: .seconds(3 * 3_600))
        let runs = bench.runs()
        #expect(runs.filter { $0.job == "overlap" }.count == 1)
        #expect(runs.filter { $0.job == "hourly" }.count == 3)
    }

    @Test("S-5: a run that waits out its jitter survives every change of clock and zone")
    func jitterAndNotices() async throws {
        for change in 0..<3 {
            let bench = try Workbench(at: "2026-03-02T08:59:00Z")
            try await bench.scheduler.add(bench.job("job", "0 9 * * *", jitter: .seconds(3_600)))
            let due = try #require(bench.scheduler.job("job")?.next)
            let half = (due - bench.clock.now.wall) / 2
            await bench.clock.advance(by: .seconds(60) + (half - .seconds(60)) / 2 + .seconds(1))
            switch change {
            case 0: await bench.clock.setWall(bench.clock.now.wall + .milliseconds(200))
            case 1: await bench.clock.setWall(bench.clock.now.wall - .milliseconds(200))
            default: await bench.clock.setZone(.utc)
            }
            await bench.clock.advance(by: .seconds(3_700))
            #expect(bench.times() == ["2026-03-02T09:00:00Z"])
        }
    }

    @Test("S-3, S-5: a change of clock or zone brings no run for a time before the job was added")
    func notBeforeAdded() async throws {
        for change in 0..<4 {
            let bench = try Workbench(at: "2026-03-02T10:00:01Z")
            // A run for 10:00 would be due after the jitter.
            try await bench.scheduler.add(bench.job("job", "0 * * * *", jitter: .seconds(3_600)))
            let due = try #require(bench.scheduler.job("job")?.next)
            try #require(due - bench.clock.now.wall > .seconds(3_660), "the name has a delay")
            switch change {
            case 0: await bench.clock.setWall(bench.clock.now.wall + .milliseconds(200))
            case 1: await bench.clock.setWall(bench.clock.now.wall - .milliseconds(200))
            case 2: await bench.clock.setZone(.utc)
            default: await bench.clock.setWall(bench.clock.now.wall + .seconds(1))
            }
            #expect(bench.scheduler.job("job")?.next == due)
            await bench.clock.advance(by: .seconds(2 * 3_600))
            #expect(bench.times().first == "2026-03-02T11:00:00Z")
        }
    }

    @Test("S-5: an elapsed expression goes on at once after the clock was set back")
    func setBack() async throws {
        let bench = try Workbench(at: "2026-03-02T10:20:00Z")
        try await bench.scheduler.add(bench.job("job", "0 * * * *"))
        await bench.clock.advance(by: .seconds(3_600))
        #expect(bench.times() == ["2026-03-02T11:00:00Z"])
        try await bench.setWall("2026-03-02T09:30:00Z")
        await bench.clock.advance(by: .seconds(2 * 3_600))
        #expect(bench.times() == ["2026-03-02T10:00:00Z", "2026-03-02T11:00:00Z"])
    }

    @Test("S-5: an expression whose years were over runs again when the clock is believed again")
    func yearsOverAndBack() async throws {
        let bench = try Workbench()
        try await bench.scheduler.add(bench.job("0 0 9 * * * 2026-2030"))
        try await bench.setWall("2100-01-01T00:00:00Z")
        #expect(bench.scheduler.job("job")?.next == nil)
        _ = bench.runs()
        try await bench.setWall("2026-03-02T08:00:00Z")
        await bench.clock.advance(by: .seconds(3_600))
        #expect(bench.times() == ["2026-03-02T09:00:00Z"])
    }
}
