import CronScheduler
import PortcullisCore
import PortcullisTesting
import Testing

/// How far a clock may go back, to the second, and what that leaves of a pause.
extension ClockChangeTests {
    @Test("S-5: a clock set back by three hours is a correction, by a second more it is believed")
    func correctionLimit() async throws {
        for (seconds, isRepeated) in [(3 * 3_600, false), (3 * 3_600 + 1, true)] {
            let bench = try Workbench()
            try await bench.scheduler.add(bench.job("30 8 * * *"))
            await bench.clock.advance(by: .seconds(2_100))
            #expect(bench.runs().count == 1)
            await bench.clock.setWall(bench.clock.now.wall - .seconds(seconds))
            await bench.clock.advance(by: .seconds(4 * 3_600))
            #expect(bench.runs().count == (isRepeated ? 1 : 0), "\(seconds) s")
        }
    }

    @Test("S-4, S-5: nor does a restart believe a record that is more than three hours ahead")
    func recordLimit() async throws {
        for (seconds, isRepeated) in [(3 * 3_600, false), (3 * 3_600 + 1, true)] {
            let journal = InMemoryRunJournal()
            let first = try Workbench(journal: journal)
            try await first.scheduler.add(first.job("30 8 * * *"))
            await first.clock.advance(by: .seconds(1_800))
            #expect(first.runs().count == 1)
            await first.shutDown()
            await first.clock.setWall(first.clock.now.wall - .seconds(seconds))
            let second = Workbench(after: first, journal: journal)
            try await second.scheduler.add(second.job("30 8 * * *"))
            await second.clock.advance(by: .seconds(4 * 3_600))
            #expect(second.runs().count == (isRepeated ? 1 : 0), "\(seconds) s")
            await second.shutDown()
        }
    }

    @Test(
        "S-4, S-5: a restart while the clock is behind repeats no run once the clock is right",
        arguments: ["30 8 * * *", "*/30 * * * *", "@every 30m"]
    )
    func clockBehind(_ expression: String) async throws {
        for days in [1, 9_000] {
            let journal = InMemoryRunJournal()
            let first = try Workbench(journal: journal)
            try await first.scheduler.add(first.job(expression))
            await first.clock.advance(by: .seconds(1_800))
            #expect(first.runs().count == 1)
            let next = first.scheduler.job("job")?.next
            await first.shutDown()
            let right = first.clock.now.wall
            await first.clock.setWall(right - .seconds(days * 86_400))
            let second = Workbench(after: first, journal: journal)
            try await second.scheduler.add(second.job(expression))
            second.settle()
            await second.clock.setWall(right + .seconds(300))
            second.settle()
            #expect(second.runs().isEmpty, "\(days) days")
            #expect(second.scheduler.job("job")?.next == next)
            #expect(second.scheduler.job("job")?.last == right)
            await second.shutDown()
        }
    }

    @Test("S-4, S-5: a clock that comes within three hours of a record by itself still repeats no run")
    func clockBehindForAWhile() async throws {
        let journal = InMemoryRunJournal()
        let first = try Workbench(journal: journal)
        try await first.scheduler.add(first.job("30 8 * * *"))
        await first.clock.advance(by: .seconds(1_800))
        #expect(first.runs().count == 1)
        let next = first.scheduler.job("job")?.next
        await first.shutDown()
        let right = first.clock.now.wall
        await first.clock.setWall(right - .seconds(3 * 3_600 + 600))
        let second = Workbench(after: first, journal: journal)
        try await second.scheduler.add(second.job("30 8 * * *"))
        await second.clock.advance(by: .seconds(900))
        await second.clock.setWall(right + .seconds(300))
        second.settle()
        #expect(second.runs().isEmpty)
        #expect(second.scheduler.job("job")?.next == next)
        await second.shutDown()
    }

    @Test("S-5: a pause that began with a run goes on, also when the clock is set past an earlier record")
    func runWhileBehind() async throws {
        let journal = InMemoryRunJournal()
        let first = try Workbench(journal: journal)
        try await first.scheduler.add(first.job("@every 30m"))
        await first.clock.advance(by: .seconds(1_800))
        await first.shutDown()
        let right = first.clock.now.wall
        await first.clock.setWall(right - .seconds(86_400))
        let second = Workbench(after: first, journal: journal)
        try await second.scheduler.add(second.job("@every 30m"))
        await second.clock.advance(by: .seconds(1_800))
        #expect(second.runs().count == 1)
        await second.clock.setWall(right + .seconds(2_000))
        second.settle()
        #expect(second.runs().isEmpty)
        #expect(second.scheduler.job("job")?.next == right + .seconds(2_000 + 1_800))
        await second.shutDown()
    }

    @Test(
        "S-5: the pause of a job that is due after all times that can be counted survives every change of the clock"
    )
    func endlessPause() async throws {
        let bench = try Workbench()
        try await bench.scheduler.add(bench.job("far", "@every 106751992d"))
        try await bench.scheduler.add(bench.job("farther", "@every 1000000000d"))
        for seconds in [3_600, -7_200, 1_000_000] {
            await bench.clock.setWall(bench.clock.now.wall + .seconds(seconds))
            await bench.clock.advance(by: .seconds(60))
        }
        #expect(bench.runs().isEmpty)
    }

    @Test("S-5: a clock that is set changes neither the fraction of a second of a pause nor what it ran last")
    func fraction() async throws {
        let bench = try Workbench()
        await bench.clock.advance(by: .milliseconds(250))
        try await bench.scheduler.add(bench.job("@every 10m"))
        await bench.clock.advance(by: .seconds(900))
        let due = try #require(bench.scheduler.job("job")?.next)
        await bench.clock.setWall(bench.clock.now.wall + .seconds(1_000_000))
        #expect(bench.scheduler.job("job")?.next == due + .seconds(1_000_000))
        #expect(bench.scheduler.job("job")?.last == due + .seconds(1_000_000 - 600))
    }
}
