import CronScheduler
import PortcullisCore
import PortcullisTesting
import Testing

/// Runs that meet others of their job, and jobs that change meanwhile.
@Suite(.timeLimit(.minutes(10))) struct OverlapTests {
    private let bench: Workbench
    private let gate = Gate()
    private let eight: Int

    init() throws {
        bench = try Workbench()
        eight = try Instant.second("2026-03-02T08:00:00Z")
    }

    /// A job of every minute that waits at the gate.
    private func minutely(_ overlap: OverlapPolicy, at expression: String = "* * * * *") throws -> CronJob {
        try bench.job("job", expression, overlap: overlap) { [gate] _ in _ = await gate.pass() }
    }

    @Test("S-3: a queue for one run takes one")
    func shortestQueue() async throws {
        gate.close()
        try await bench.scheduler.add(minutely(.queue(limit: 1)))
        await bench.clock.advance(by: .seconds(180))
        #expect(bench.scheduler.job("job")?.waiting == 1)
        gate.open()
        bench.settle()
        #expect(bench.runs().map(\.scheduled) == [.seconds(eight + 60), .seconds(eight + 120)])
    }

    @Test("S-3: what waits starts at once when the job may overlap from now on")
    func overlapsFromNow() async throws {
        gate.close()
        try await bench.scheduler.add(minutely(.queue(limit: 5)))
        await bench.clock.advance(by: .seconds(180))
        #expect(bench.runs().count == 1 && bench.scheduler.job("job")?.waiting == 2)
        try await bench.scheduler.add(minutely(.concurrent))
        bench.settle()
        #expect(bench.runs().map(\.scheduled) == [.seconds(eight + 120), .seconds(eight + 180)])
        #expect(bench.scheduler.job("job")?.running == 3 && bench.scheduler.job("job")?.waiting == 0)
        gate.open()
        bench.settle()
        #expect(bench.scheduler.job("job")?.running == 0)
    }

    @Test("S-3: what waits for a schedule that is replaced, or for a job that is removed, does not start")
    func replaced() async throws {
        gate.close()
        try await bench.scheduler.add(minutely(.queue(limit: 5)))
        await bench.clock.advance(by: .seconds(180))
        #expect(bench.runs().count == 1)
        try await bench.scheduler.add(minutely(.queue(limit: 5), at: "0 12 * * *"))
        #expect(bench.scheduler.job("job")?.waiting == 0)
        gate.open()
        bench.settle()
        #expect(bench.runs().isEmpty)
        gate.close()
        try await bench.scheduler.add(minutely(.queue(limit: 5)))
        await bench.clock.advance(by: .seconds(180))
        #expect(bench.runs().count == 1)
        try await bench.scheduler.remove(["job"])
        try await bench.scheduler.add(bench.job("other", "0 12 * * *", overlap: .queue(limit: 5)))
        #expect(bench.scheduler.job("other")?.waiting == 0, "it has the same place")
        gate.open()
        bench.settle()
        #expect(bench.runs().isEmpty)
    }

    @Test("S-3: missed runs are no reason to wait for a run that was going on before")
    func catchUpWhileRunning() async throws {
        gate.close()
        try await bench.scheduler.add(
            bench.job("job", "*/10 * * * *", missed: .all(limit: 3)) { [gate] _ in _ = await gate.pass() }
        )
        await bench.clock.advance(by: .seconds(600))
        #expect(bench.runs().count == 1)
        await bench.clock.suspend(for: .seconds(3_600))
        #expect(bench.scheduler.job("job")?.waiting == 0)
        gate.open()
        bench.settle()
        #expect(bench.runs().isEmpty)
        await bench.clock.advance(by: .seconds(600))
        #expect(bench.runs().map(\.missed) == [6])
    }

    @Test(
        "S-3: missed runs of several jobs take place in the order of their times",
        arguments: [true, false]
    )
    func catchUpInOrder(isJournalled: Bool) async throws {
        let bench = try Workbench(journal: isJournalled ? InMemoryRunJournal() : nil)
        try await bench.scheduler.add([
            bench.job("tens", "*/10 * * * *", overlap: .concurrent, missed: .all(limit: 9)),
            bench.job("fifteens", "*/15 * * * *", overlap: .concurrent, missed: .all(limit: 9)),
        ])
        bench.settle()
        await bench.clock.suspend(for: .seconds(1_801))
        #expect(
            bench.runs().map { "\($0.job.rawValue) \(Int($0.scheduled.components.seconds) - eight)" }
                == ["tens 600", "fifteens 900", "tens 1200", "tens 1800", "fifteens 1800"]
        )
    }

    @Test("S-3: a job has run when its first run has started, and not before")
    func hasRun() async throws {
        try await bench.scheduler.add(bench.job("job", "30 8 * * *"))
        bench.settle()
        #expect(try #require(bench.scheduler.job("job")).last == nil)
        await bench.clock.advance(by: .seconds(1_800))
        #expect(bench.scheduler.job("job")?.last == .seconds(eight + 1_800))
    }

    @Test("S-3: an object that a job holds on to goes with the job")
    func released() async throws {
        final class Held: Sendable {}
        weak var kept: Held?
        do {
            let held = Held()
            kept = held
            try await bench.scheduler.add(
                bench.job("job", "0 9 * * *") { _ in withExtendedLifetime(held) {} }
            )
        }
        bench.settle()
        #expect(kept != nil)
        try await bench.scheduler.remove(["job"])
        #expect(kept == nil)
    }

    @Test("S-3: @reboot is never late, and a job with jitter is late by what it waits beyond that")
    func lateness() async throws {
        try await bench.scheduler.add(bench.job("reboot", "@reboot", missed: .skip))
        await bench.clock.suspend(for: .seconds(600))
        #expect(bench.runs().map(\.job) == ["reboot"])
        try await bench.scheduler.add(
            (0..<30).map { try bench.job("job-\($0)", "0 9 * * *", missed: .skip, jitter: .seconds(600)) }
        )
        await bench.clock.advance(by: .seconds(3_600))
        #expect(bench.runs().count == 30)
    }

    @Test("S-3: without grace a timer may still be a second late", arguments: [1_000, 1_001])
    func noGrace(milliseconds: Int) async throws {
        try await bench.scheduler.add(
            CronJob("job", at: try CronExpression("30 8 * * *"), missed: .skip, grace: .zero) { [gate] _ in
                _ = await gate.pass()
            }
        )
        bench.settle()
        gate.close()
        await bench.clock.suspend(for: .seconds(1_800) + .milliseconds(milliseconds))
        #expect(bench.scheduler.job("job")?.running == (milliseconds > 1_000 ? 0 : 1))
        gate.open()
        bench.settle()
    }
}
