import CronScheduler
import PortcullisCore
import PortcullisTesting
import Testing

/// Records that are ahead of the clock, over several restarts.
extension ClockChangeTests {
    @Test(
        "S-4, S-5: a record of a clock that was a month ahead keeps no job from its runs, whenever it restarts",
        arguments: JournalTests.Kind.allCases,
        ["30 2 * * *", "@every 24h"]
    )
    func recordAhead(_ kind: JournalTests.Kind, _ expression: String) async throws {
        let open = kind.opener()
        let first = try Workbench(journal: open())
        let right = first.clock.now.wall
        await first.clock.setWall(right + .seconds(30 * 86_400))
        try await first.scheduler.add(first.job("job", expression))
        await first.shutDown()
        await first.clock.setWall(right)
        var runs = 0
        // Each process lives from 08:00 to 09:00.
        for _ in 0..<4 {
            let bench = Workbench(after: first, journal: open())
            try await bench.scheduler.add(bench.job("job", expression))
            await bench.clock.advance(by: .seconds(3_600))
            runs += bench.runs().count
            await bench.shutDown()
            await first.clock.suspend(for: .seconds(23 * 3_600))
        }
        #expect(runs == 3)
    }

    @Test(
        "S-4, S-5: a run while the clock is behind, and a restart once it is right, repeat no earlier run",
        arguments: JournalTests.Kind.allCases,
        ["30 8 * * *", "*/30 * * * *", "@every 30m"]
    )
    func restartBetween(_ kind: JournalTests.Kind, _ expression: String) async throws {
        let open = kind.opener()
        let first = try Workbench(journal: open())
        try await first.scheduler.add(first.job("job", expression))
        await first.clock.advance(by: .seconds(1_800))
        #expect(first.runs().count == 1)
        let next = first.scheduler.job("job")?.next
        await first.shutDown()
        let right = first.clock.now.wall
        await first.clock.setWall(right - .seconds(86_400 + 60))
        // The second of these two processes begins with a record that has both times.
        for _ in 0..<2 {
            let behind = Workbench(after: first, journal: open())
            try await behind.scheduler.add(behind.job("job", expression, missed: .all(limit: 100)))
            await behind.clock.advance(by: .seconds(1_800))
            await behind.shutDown()
        }
        await first.clock.setWall(right + .seconds(300))
        let last = Workbench(after: first, journal: open())
        try await last.scheduler.add(last.job("job", expression, missed: .all(limit: 100)))
        last.settle()
        #expect(last.runs().isEmpty)
        #expect(last.scheduler.job("job")?.next == next)
        #expect(last.scheduler.job("job")?.last == right)
        await last.shutDown()
    }
}
