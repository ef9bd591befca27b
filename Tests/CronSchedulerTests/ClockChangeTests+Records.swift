import CronScheduler
import PortcullisCore
import PortcullisTesting
import Testing

/// Records that are ahead of the clock, over several restarts.
extension ClockChangeTests {
    @Test(
        "S-4, S-5: a record of a clock that was a month ahead keeps no job from its missed runs",
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
        let first = try await ranOnce(expression, open())
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

    @Test(
        "S-4, S-5: what a clock that is set makes of a record is known after the next restart too",
        arguments: JournalTests.Kind.allCases
    )
    func restartAfterSetting(_ kind: JournalTests.Kind) async throws {
        let open = kind.opener()
        let first = try await ranOnce("30 8 * * *", open())
        await first.shutDown()
        let right = first.clock.now.wall
        await first.clock.setWall(right - .seconds(86_400 + 60))
        let second = Workbench(after: first, journal: open())
        try await second.scheduler.add(second.job("job", "30 8 * * *"))
        await second.clock.advance(by: .seconds(60))
        #expect(second.runs().count == 1, "the run of the wrong day")
        await second.clock.setWall(right + .seconds(300))
        second.settle()
        #expect(second.runs().isEmpty)
        await second.shutDown()
        let third = Workbench(after: first, journal: open())
        try await third.scheduler.add(third.job("job", "30 8 * * *"))
        third.settle()
        #expect(third.runs().isEmpty)
        await third.shutDown()
    }

    @Test(
        "S-4, S-5: a pause is as long as ever if the clock is set and the process restarts",
        arguments: [20 * 3_600, 48 * 3_600, -20 * 3_600]
    )
    func pauseAfterSetting(_ seconds: Int) async throws {
        let journal = InMemoryRunJournal()
        let first = try Workbench(journal: journal)
        try await first.scheduler.add(first.job("job", "@every 24h"))
        await first.clock.advance(by: .seconds(25 * 3_600))
        #expect(first.runs().count == 1)
        await first.clock.setWall(first.clock.now.wall + .seconds(seconds))
        first.settle()
        let next = first.scheduler.job("job")?.next
        #expect(next == first.clock.now.wall + .seconds(23 * 3_600))
        await first.shutDown()
        let second = Workbench(after: first, journal: journal)
        try await second.scheduler.add(second.job("job", "@every 24h"))
        second.settle()
        #expect(second.runs().isEmpty)
        #expect(second.scheduler.job("job")?.next == next)
        await second.shutDown()
    }

    @Test(
        "S-4, S-5: a clock that is set back a day and forward again repeats no run, restart or not",
        arguments: ["30 8 * * *", "*/30 * * * *", "@every 30m"],
        [false, true]
    )
    func backAndForward(_ expression: String, restarts: Bool) async throws {
        let journal = InMemoryRunJournal()
        let first = try await ranOnce(expression, journal)
        let next = first.scheduler.job("job")?.next
        let right = first.clock.now.wall
        await first.clock.setWall(right - .seconds(86_400))
        first.settle()
        if restarts { await first.shutDown() }
        await first.clock.setWall(right)
        let last = restarts ? Workbench(after: first, journal: journal) : first
        if restarts { try await last.scheduler.add(last.job("job", expression)) }
        last.settle()
        #expect(last.runs().isEmpty)
        #expect(last.scheduler.job("job")?.next == next)
        await last.shutDown()
    }

    @Test(
        "S-4, S-5: starts while the clock is behind repeat no run, also after a clock that was far ahead",
        arguments: JournalTests.Kind.allCases,
        ["30 2 * * *", "@every 24h"]
    )
    func aheadThenBehind(_ kind: JournalTests.Kind, _ expression: String) async throws {
        let open = kind.opener()
        let (first, skew) = try await wasAhead(expression, open(), hours: 25)
        let clock = first.clock
        #expect(first.runs().count == 1)
        await clock.advance(by: .seconds(73 * 3_600))
        #expect(first.runs().count == 3)
        let next = first.scheduler.job("job")?.next
        await first.shutDown()
        for _ in 0..<2 {
            await clock.setWall(.seconds(60))
            let bench = Workbench(after: first, journal: open())
            try await bench.scheduler.add(bench.job("job", expression, missed: .all(limit: 100)))
            await clock.advance(by: .seconds(60))
            await clock.setWall(clock.now.sinceBoot + skew)
            bench.settle()
            #expect(bench.runs().isEmpty)
            #expect(bench.scheduler.job("job")?.next == next)
            await bench.shutDown()
        }
    }

    @Test(
        "S-4, S-5: a boot whose clock is never set costs no more than its own hours, after a far clock too",
        arguments: ["0 * * * *", "@every 1h"]
    )
    func neverSetAfterAhead(_ expression: String) async throws {
        let journal = InMemoryRunJournal()
        let (first, skew) = try await wasAhead(expression, journal, hours: 3)
        let clock = first.clock
        await clock.advance(by: .seconds(3 * 3_600))
        await first.shutDown()
        for _ in 0..<2 {
            await clock.setWall(.seconds(60))
            let offline = Workbench(after: first, journal: journal)
            try await offline.scheduler.add(offline.job("job", expression, missed: .all(limit: 100)))
            await clock.advance(by: .seconds(5 * 3_600))
            await offline.shutDown()
            await clock.setWall(.seconds(50))
            let bench = Workbench(after: first, journal: journal)
            try await bench.scheduler.add(bench.job("job", expression, missed: .all(limit: 100)))
            await clock.advance(by: .seconds(30))
            await clock.setWall(clock.now.sinceBoot + skew)
            bench.settle()
            #expect((1...6).contains(bench.runs().count))
            await bench.shutDown()
        }
    }

    @Test(
        "S-4, S-5: a job runs each day, however often its process starts before the clock is set",
        arguments: ["30 2 * * *", "@every 24h"],
        [1, 2, 3]
    )
    func startsWhileBehind(_ expression: String, starts: Int) async throws {
        let journal = InMemoryRunJournal()
        let first = try Workbench(journal: journal)
        let clock = first.clock
        let skew = clock.now.wall - clock.now.sinceBoot
        try await first.scheduler.add(first.job("job", expression))
        await first.shutDown()
        var runs = 0
        for _ in 0..<4 {
            await clock.suspend(for: .seconds(86_400 - 8 * 3_600))
            await clock.setWall(.seconds(60))
            for start in 1...starts {
                let bench = Workbench(after: first, journal: journal)
                try await bench.scheduler.add(bench.job("job", expression))
                await clock.advance(by: .seconds(20))
                if start == starts {
                    await clock.setWall(clock.now.sinceBoot + skew)
                    await clock.advance(by: .seconds(8 * 3_600))
                }
                runs += bench.runs().count
                await bench.shutDown()
            }
        }
        #expect(runs == 4)
    }

    @Test(
        "S-4, S-5: a run of @every that waits when the clock is set is one missed run after a restart",
        arguments: [20, -20]
    )
    func waitingPause(hours: Int) async throws {
        let journal = InMemoryRunJournal()
        let first = try Workbench(journal: journal)
        let clock = first.clock
        let run = clock.now.wall + .seconds(1_200 + hours * 3_600)
        let gate = Gate()
        gate.close()
        try await first.scheduler.add(
            first.job("job", "@every 10m", overlap: .queue(limit: 5)) { _ in _ = await gate.pass() }
        )
        await clock.advance(by: .seconds(1_250))
        await clock.setWall(clock.now.wall + .seconds(hours * 3_600))
        first.settle()
        #expect(first.runs().count == 1 && first.scheduler.job("job")?.waiting == 1)
        // Killed: nothing is shut down.
        let second = Workbench(after: first, journal: journal)
        try await second.scheduler.add(second.job("job", "@every 10m", missed: .all(limit: 100)))
        second.settle()
        #expect(second.runs().map(\.scheduled) == [run])
        gate.open()
        first.settle()
        #expect(first.runs().map(\.scheduled) == [run])
    }

    @Test("S-4, S-5: runs that wait after the clock was set back a day are missed ones after a restart")
    func waitingAfterSettingBack() async throws {
        let journal = InMemoryRunJournal()
        let first = try Workbench(journal: journal)
        let clock = first.clock
        let gate = Gate()
        gate.close()
        try await first.scheduler.add(
            first.job("job", "*/5 * * * *", overlap: .queue(limit: 5)) { _ in _ = await gate.pass() }
        )
        await clock.advance(by: .seconds(601))
        await clock.setWall(clock.now.wall - .seconds(86_400))
        await clock.advance(by: .seconds(601))
        #expect(first.runs().count == 1 && first.scheduler.job("job")?.waiting == 3)
        // Killed, while the clock is still behind.
        let second = Workbench(after: first, journal: journal)
        try await second.scheduler.add(second.job("job", "*/5 * * * *", missed: .all(limit: 100)))
        second.settle()
        #expect(second.times() == ["2026-03-01T08:15:00Z", "2026-03-01T08:20:00Z"])
        gate.open()
    }

    /// A scheduler whose job has run once, within the half hour since it was added.
    private func ranOnce(_ expression: String, _ journal: any RunJournal) async throws -> Workbench {
        let bench = try Workbench(journal: journal)
        try await bench.scheduler.add(bench.job("job", expression))
        await bench.clock.advance(by: .seconds(1_800))
        #expect(bench.runs().count == 1)
        return bench
    }

    /// A scheduler whose clock was far ahead for some hours after its job was added, and is right by now.
    private func wasAhead(
        _ expression: String,
        _ journal: any RunJournal,
        hours: Int
    ) async throws -> (bench: Workbench, skew: Duration) {
        let bench = try Workbench(journal: journal)
        let clock = bench.clock
        let skew = clock.now.wall - clock.now.sinceBoot
        await clock.setWall(clock.now.wall + .seconds(27_000 * 86_400))
        try await bench.scheduler.add(bench.job("job", expression))
        await clock.advance(by: .seconds(hours * 3_600))
        await clock.setWall(clock.now.sinceBoot + skew)
        return (bench, skew)
    }
}
