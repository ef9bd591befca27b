import CronScheduler
import PortcullisCore
import PortcullisTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct JournalTests {
    /// A journal over restarts of the scheduler.
    enum Kind: CaseIterable, Sendable {
        case memory, store

        /// Makes the journal anew each time, as a new process would.
        func opener() -> @Sendable () -> any RunJournal {
            switch self {
            case .memory:
                let journal = InMemoryRunJournal()
                return { journal }
            case .store:
                let storage = InMemorySecretStore.Storage()
                return { SecretStoreRunJournal(InMemorySecretStore(storage)) }
            }
        }
    }

    @Test("S-4: what was missed while no process ran is made up for, once", arguments: Kind.allCases)
    func downtime(_ kind: Kind) async throws {
        let open = kind.opener()
        let first = try Workbench(journal: open())
        try await first.scheduler.add([
            first.job("once", "*/10 * * * *"), first.job("all", "*/10 * * * *", missed: .all(limit: 100)),
            first.job("skip", "*/10 * * * *", missed: .skip),
        ])
        await first.clock.advance(by: .seconds(1_205))
        await first.shutDown()
        #expect(first.runs().count == 6)

        await first.clock.reboot(downtime: .seconds(1_800))
        let second = Workbench(after: first, journal: open())
        try await second.scheduler.add([
            second.job("once", "*/10 * * * *"), second.job("all", "*/10 * * * *", missed: .all(limit: 100)),
            second.job("skip", "*/10 * * * *", missed: .skip),
        ])
        second.settle()
        let runs = second.runs()
        let start = try Instant.second("2026-03-02T08:00:00Z")
        #expect(runs.filter { $0.job == "once" }.map(\.scheduled) == [.seconds(start + 3_000)])
        #expect(runs.filter { $0.job == "once" }.map(\.missed) == [2])
        #expect(
            runs.filter { $0.job == "all" }.map(\.scheduled) == [3, 4, 5].map { .seconds(start + $0 * 600) }
        )
        #expect(runs.filter { $0.job == "skip" }.isEmpty)
        await second.shutDown()
    }

    @Test("S-4: a restart within the minute repeats no run", arguments: Kind.allCases)
    func noRepeat(_ kind: Kind) async throws {
        let open = kind.opener()
        let first = try Workbench(journal: open())
        try await first.scheduler.add(first.job("30 8 * * *"))
        await first.clock.advance(by: .seconds(1_800))
        #expect(first.runs().count == 1)
        await first.shutDown()
        // Also when the clock is then set back a little.
        await first.clock.setWall(first.clock.now.wall - .seconds(600))
        let second = Workbench(after: first, journal: open())
        try await second.scheduler.add(second.job("30 8 * * *"))
        await second.clock.advance(by: .seconds(7_200))
        #expect(second.runs().isEmpty)
        await second.shutDown()
    }

    @Test("S-4: a job that never ran is remembered from when it was added", arguments: Kind.allCases)
    func neverRan(_ kind: Kind) async throws {
        let open = kind.opener()
        let first = try Workbench(journal: open())
        try await first.scheduler.add(first.job("0 9 * * *"))
        await first.shutDown()
        await first.clock.suspend(for: .seconds(7_200))
        let second = Workbench(after: first, journal: open())
        try await second.scheduler.add(second.job("0 9 * * *"))
        second.settle()
        #expect(second.times() == ["2026-03-02T09:00:00Z"])
        await second.shutDown()
    }

    @Test(
        "S-1, S-4: the last run of a date takes place if it was missed, and the job is refused afterwards",
        arguments: Kind.allCases
    )
    func lastDate(_ kind: Kind) async throws {
        let open = kind.opener()
        let first = try Workbench(journal: open())
        let date = "0 30 8 2 3 * 2026"
        try await first.scheduler.add(first.job(date))
        await first.shutDown()
        await first.clock.suspend(for: .seconds(7_200))
        let second = Workbench(after: first, journal: open())
        try await second.scheduler.add([second.job(date), second.job("other", "0 12 * * *")])
        second.settle()
        #expect(second.times() == ["2026-03-02T08:30:00Z"])
        await second.shutDown()
        let third = Workbench(after: first, journal: open())
        for missed in [MissedRunPolicy.once, .skip] {
            let job = try third.job("job", date, missed: missed)
            let error = await #expect(throws: CronSchedulerError.self) { try await third.scheduler.add(job) }
            #expect(error?.code == .neverFires)
        }
        await third.shutDown()
    }

    @Test("S-3, S-4: a changed expression never back-fires after a restart", arguments: Kind.allCases)
    func changedExpression(_ kind: Kind) async throws {
        let open = kind.opener()
        let first = try Workbench(journal: open())
        try await first.scheduler.add(first.job("0 9 * * *"))
        await first.shutDown()
        await first.clock.suspend(for: .seconds(7_200))
        let second = Workbench(after: first, journal: open())
        try await second.scheduler.add(second.job("30 9 * * *"))
        second.settle()
        #expect(second.runs().isEmpty)
        await second.shutDown()
    }

    @Test("S-1, S-4: @reboot runs once in a boot, whatever number of processes", arguments: Kind.allCases)
    func reboot(_ kind: Kind) async throws {
        let open = kind.opener()
        var bench = try Workbench(journal: open())
        for expected in [1, 0, 0] {
            try await bench.scheduler.add(bench.job("@reboot"))
            bench.settle()
            #expect(bench.runs().count == expected)
            await bench.shutDown()
            bench = Workbench(after: bench, journal: open())
        }
        await bench.clock.reboot()
        bench = Workbench(after: bench, journal: open())
        try await bench.scheduler.add(bench.job("@reboot"))
        bench.settle()
        #expect(bench.runs().count == 1)
        await bench.shutDown()
    }

    @Test(
        "S-4: runs that waited for their turn when the process ended are missed ones",
        arguments: Kind.allCases
    )
    func waiting(_ kind: Kind) async throws {
        let open = kind.opener()
        let first = try Workbench(journal: open())
        let gate = Gate()
        gate.close()
        try await first.scheduler.add(
            first.job("job", "* * * * *", overlap: .queue(limit: 5), missed: .all(limit: 10)) { _ in
                _ = await gate.pass()
            }
        )
        await first.clock.advance(by: .seconds(180))
        #expect(first.runs().count == 1)
        // Killed: nothing is shut down.
        let second = Workbench(after: first, journal: open())
        try await second.scheduler.add(
            second.job("job", "* * * * *", overlap: .queue(limit: 5), missed: .all(limit: 10))
        )
        second.settle()
        let start = try Instant.second("2026-03-02T08:00:00Z")
        #expect(second.runs().map(\.scheduled) == [.seconds(start + 120), .seconds(start + 180)])
        gate.open()
    }

    @Test("S-4: a removed job is forgotten", arguments: Kind.allCases)
    func forgotten(_ kind: Kind) async throws {
        let open = kind.opener()
        let first = try Workbench(journal: open())
        try await first.scheduler.add(first.job("*/10 * * * *"))
        await first.clock.advance(by: .seconds(600))
        try await first.scheduler.remove(["job"])
        await first.shutDown()
        await first.clock.suspend(for: .seconds(7_200))
        let second = Workbench(after: first, journal: open())
        try await second.scheduler.add(second.job("*/10 * * * *"))
        second.settle()
        #expect(second.runs().isEmpty)
        await second.shutDown()
    }

    @Test("S-4: runs that are due together are one write, made before they start")
    func oneWrite() async throws {
        let calls = RecordingSecretStore(InMemorySecretStore())
        let bench = try Workbench(journal: SecretStoreRunJournal(calls))
        try await bench.scheduler.add(
            try (0..<200).map { try bench.job("job-\($0)", "0 9 * * *") }
        )
        calls.forgetCalls()
        await bench.clock.advance(by: .seconds(3_600))
        #expect(bench.runs().count == 200)
        #expect(calls.count(of: .write) == 1)
        await bench.shutDown()
    }
}
