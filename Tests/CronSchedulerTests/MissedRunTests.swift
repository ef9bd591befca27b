import CronScheduler
import PortcullisCore
import PortcullisTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct MissedRunTests {
    @Test("S-3: after a sleep the last of the missed runs takes place, and is told how many were missed")
    func once() async throws {
        let bench = try Workbench()
        try await bench.scheduler.add(bench.job("*/10 * * * *"))
        bench.settle()
        await bench.clock.suspend(for: .seconds(3_605))
        let runs = bench.runs()
        #expect(runs.count == 1)
        #expect(runs.first?.scheduled == .seconds(try Instant.second("2026-03-02T09:00:00Z")))
        #expect(runs.first?.started == .seconds(try Instant.second("2026-03-02T09:00:05Z")))
        #expect(runs.first?.missed == 5)
        await bench.clock.advance(by: .seconds(600))
        #expect(bench.runs().map(\.missed) == [0])
    }

    @Test("S-3: missed runs are skipped, and the next one is told", arguments: [5, 61])
    func skip(late: Int) async throws {
        let bench = try Workbench()
        try await bench.scheduler.add(bench.job("job", "*/10 * * * *", missed: .skip))
        bench.settle()
        await bench.clock.suspend(for: .seconds(3_600 + late))
        // Within its grace of a minute the last one is on time.
        #expect(bench.runs().map(\.missed) == (late <= 60 ? [5] : []))
        await bench.clock.advance(by: .seconds(600))
        #expect(bench.runs().map(\.missed) == (late <= 60 ? [0] : [6]))
    }

    @Test("S-3: all missed runs take place in order, up to a limit")
    func all() async throws {
        let bench = try Workbench()
        try await bench.scheduler.add([
            bench.job("all", "*/10 * * * *", missed: .all(limit: 100)),
            bench.job("some", "*/10 * * * *", missed: .all(limit: 2)),
        ])
        bench.settle()
        await bench.clock.suspend(for: .seconds(3_605))
        let runs = bench.runs()
        let start = try Instant.second("2026-03-02T08:00:00Z")
        let all = runs.filter { $0.job == "all" }
        #expect(all.map(\.scheduled) == (1...6).map { .seconds(start + $0 * 600) })
        #expect(all.allSatisfy { $0.missed == 0 })
        let some = runs.filter { $0.job == "some" }
        #expect(some.map(\.scheduled) == (5...6).map { .seconds(start + $0 * 600) })
        #expect(some.map(\.missed) == [4, 0])
    }

    @Test("S-3: years of missed seconds are counted at once and exactly")
    func longDowntime() async throws {
        let bench = try Workbench(zone: "America/New_York")
        try await bench.scheduler.add([
            bench.job("elapsed", "* * * * * *"), bench.job("fixed", "0 */30 2 * * *"),
            bench.job("every", "@every 7s"),
        ])
        bench.settle()
        let seconds = 3 * 365 * 86_400
        await bench.clock.suspend(for: .seconds(seconds))
        let missed = Dictionary(uniqueKeysWithValues: bench.runs().map { ($0.job, $0.missed) })
        #expect(missed["elapsed"] == seconds - 1)
        // Two each day, but one on the three days whose clocks pass over both; the gap of the first year comes
        // six days after the start.
        #expect(missed["fixed"] == 3 * 365 * 2 - 3 - 1)
        #expect(missed["every"] == seconds / 7 - 1)
    }

    @Test("S-3: a run that is due while another goes on is skipped, and told to the next")
    func overlapSkip() async throws {
        let bench = try Workbench()
        let gate = Gate()
        gate.close()
        try await bench.scheduler.add(bench.job("job", "* * * * *") { _ in _ = await gate.pass() })
        await bench.clock.advance(by: .seconds(180))
        #expect(bench.runs().count == 1)
        #expect(bench.scheduler.job("job")?.running == 1)
        gate.open()
        await bench.clock.advance(by: .seconds(60))
        #expect(bench.runs().map(\.missed) == [2])
    }

    @Test("S-3: runs wait in a queue up to its limit, and start when the one before ends")
    func overlapQueue() async throws {
        let bench = try Workbench()
        let gate = Gate()
        gate.close()
        try await bench.scheduler.add(
            bench.job("job", "* * * * *", overlap: .queue(limit: 2)) { _ in _ = await gate.pass() }
        )
        await bench.clock.advance(by: .seconds(4 * 60))
        #expect(bench.runs().count == 1)
        #expect(bench.scheduler.job("job")?.waiting == 2)
        gate.open()
        bench.settle()
        let start = try Instant.second("2026-03-02T08:00:00Z")
        #expect(bench.runs().map(\.scheduled) == [.seconds(start + 120), .seconds(start + 180)])
        #expect(bench.scheduler.job("job")?.waiting == 0)
        await bench.clock.advance(by: .seconds(60))
        #expect(bench.runs().map(\.missed) == [1])
    }

    @Test("S-3: runs of a job that may overlap start beside each other")
    func overlapConcurrent() async throws {
        let bench = try Workbench()
        let gate = Gate()
        gate.close()
        try await bench.scheduler.add(
            bench.job("job", "* * * * *", overlap: .concurrent) { _ in _ = await gate.pass() }
        )
        await bench.clock.advance(by: .seconds(180))
        #expect(bench.runs().count == 3)
        #expect(bench.scheduler.job("job")?.running == 3)
        gate.open()
        bench.settle()
        #expect(bench.scheduler.job("job")?.running == 0)
    }

    @Test("S-3: missed runs that are made up for come one after the other")
    func catchUpInTurn() async throws {
        let bench = try Workbench()
        let gate = Gate()
        gate.close()
        try await bench.scheduler.add(
            bench.job("job", "*/10 * * * *", missed: .all(limit: 3)) { _ in _ = await gate.pass() }
        )
        bench.settle()
        await bench.clock.suspend(for: .seconds(3_605))
        #expect(bench.runs().count == 1)
        #expect(bench.scheduler.job("job")?.waiting == 2)
        gate.open()
        bench.settle()
        #expect(bench.runs().count == 2)
    }
}
