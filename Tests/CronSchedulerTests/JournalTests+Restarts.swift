import CronScheduler
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

/// What a journal says after a restart of jobs that waited, were replaced or were removed.
extension JournalTests {
    private static let full = SecretStoreError(code: .diskFull, message: "no space is left")

    @Test("S-4: a job that is removed while its run waits for the journal is forgotten for good")
    func forgottenWhileHeld() async throws {
        let storage = InMemorySecretStore.Storage()
        let store = FailingSecretStore(InMemorySecretStore(storage))
        let bench = try Workbench(journal: SecretStoreRunJournal(store))
        try await bench.scheduler.add(bench.job("job", "30 8 * * *"))
        store.failNext(.write, with: Self.full)
        await bench.clock.advance(by: .seconds(1_800))
        try await bench.scheduler.remove(["job"])
        await bench.clock.advance(by: .seconds(60))
        #expect(bench.runs().isEmpty)
        await bench.shutDown()
        await bench.clock.suspend(for: .seconds(86_400))
        let next = Workbench(after: bench, journal: SecretStoreRunJournal(InMemorySecretStore(storage)))
        try await next.scheduler.add(next.job("job", "30 8 * * *"))
        next.settle()
        #expect(next.runs().isEmpty, "nothing of it was missed")
        await next.shutDown()
    }

    @Test("S-4: a job that is replaced while its run waits is remembered by its new schedule, and can run")
    func rememberedAnew() async throws {
        let storage = InMemorySecretStore.Storage()
        let store = FailingSecretStore(InMemorySecretStore(storage))
        let bench = try Workbench(journal: SecretStoreRunJournal(store))
        try await bench.scheduler.add(bench.job("job", "30 8 * * *"))
        store.failNext(.write, with: Self.full)
        await bench.clock.advance(by: .seconds(1_800))
        try await bench.scheduler.add(bench.job("job", "0 12 * * *"))
        await bench.clock.advance(by: .seconds(60))
        #expect(bench.runs().isEmpty)
        #expect(bench.scheduler.job("job")?.running == 0)
        await bench.shutDown()
        await bench.clock.suspend(for: .seconds(5 * 3_600))
        let next = Workbench(after: bench, journal: SecretStoreRunJournal(InMemorySecretStore(storage)))
        try await next.scheduler.add(next.job("job", "0 12 * * *"))
        next.settle()
        #expect(next.times() == ["2026-03-02T12:00:00Z"])
        await next.shutDown()
    }

    @Test("S-4: a job that is removed and added again while a write is held keeps its record")
    func removedAndAdded() async throws {
        let storage = InMemorySecretStore.Storage()
        let store = FailingSecretStore(InMemorySecretStore(storage))
        let bench = try Workbench(journal: SecretStoreRunJournal(store))
        try await bench.scheduler.add(bench.job("job", "30 8 * * *"))
        store.failNext(.write, with: Self.full)
        await bench.clock.advance(by: .seconds(1_800))
        try await bench.scheduler.remove(["job"])
        try await bench.scheduler.add(bench.job("job", "0 12 * * *"))
        await bench.clock.advance(by: .seconds(60))
        #expect(bench.runs().isEmpty)
        await bench.shutDown()
        await bench.clock.suspend(for: .seconds(5 * 3_600))
        let next = Workbench(after: bench, journal: SecretStoreRunJournal(InMemorySecretStore(storage)))
        try await next.scheduler.add(next.job("job", "0 12 * * *"))
        next.settle()
        #expect(next.times() == ["2026-03-02T12:00:00Z"])
        await next.shutDown()
    }

    @Test("S-4: a job that skipped missed runs for a moment makes up for them after a restart")
    func skippedForAMoment() async throws {
        let storage = InMemorySecretStore.Storage()
        let store = FailingSecretStore(InMemorySecretStore(storage))
        let bench = try Workbench(journal: SecretStoreRunJournal(store))
        try await bench.scheduler.add(bench.job("job", "30 8 * * *"))
        store.failNext(.write, with: Self.full)
        await bench.clock.advance(by: .seconds(1_800))
        try await bench.scheduler.add(bench.job("job", "30 8 * * *", missed: .skip))
        try await bench.scheduler.add(bench.job("job", "30 8 * * *"))
        await bench.clock.advance(by: .seconds(60))
        await bench.shutDown()
        await bench.clock.suspend(for: .seconds(24 * 3_600))
        let next = Workbench(after: bench, journal: SecretStoreRunJournal(InMemorySecretStore(storage)))
        try await next.scheduler.add(next.job("job", "30 8 * * *"))
        next.settle()
        #expect(next.times() == ["2026-03-03T08:30:00Z"])
        await next.shutDown()
    }

    @Test("S-1, S-4: a pause goes on over a restart also if its job skipped missed runs for a while")
    func skippedPause() async throws {
        let storage = InMemorySecretStore.Storage()
        let bench = try Workbench(journal: SecretStoreRunJournal(InMemorySecretStore(storage)))
        try await bench.scheduler.add(bench.job("job", "@every 24h", missed: .skip))
        await bench.clock.advance(by: .seconds(23 * 3_600))
        try await bench.scheduler.add(bench.job("job", "@every 24h"))
        await bench.clock.advance(by: .seconds(1))
        let next = try #require(bench.scheduler.job("job")?.next)
        #expect(next == bench.clock.now.wall + .seconds(3_599))
        await bench.shutDown()
        let second = Workbench(after: bench, journal: SecretStoreRunJournal(InMemorySecretStore(storage)))
        try await second.scheduler.add(second.job("job", "@every 24h"))
        #expect(second.scheduler.job("job")?.next == next)
        await second.shutDown()
    }

    @Test("S-4: a held run starts the action that its job has by then")
    func replacedAction() async throws {
        let store = FailingSecretStore(InMemorySecretStore(InMemorySecretStore.Storage()))
        let bench = try Workbench(journal: SecretStoreRunJournal(store))
        let actions = Mutex<[String]>([])
        func job(_ name: String) throws -> CronJob {
            try bench.job("job", "30 8 * * *") { _ in actions.withLock { $0.append(name) } }
        }
        try await bench.scheduler.add(job("old"))
        store.failNext(.write, with: Self.full)
        await bench.clock.advance(by: .seconds(1_800))
        try await bench.scheduler.add(job("new"))
        await bench.clock.advance(by: .seconds(60))
        #expect(actions.withLock { $0 } == ["new"])
        await bench.shutDown()
    }

    @Test("S-1, S-4: a job that is replaced by one for the machine's start has not run by that")
    func replacedByReboot() async throws {
        let journal = InMemoryRunJournal()
        let first = try Workbench(journal: journal)
        try await first.scheduler.add(first.job("job", "0 9 * * *"))
        try await first.scheduler.add(first.job("job", "@reboot", jitter: .seconds(3_600)))
        first.settle()
        try #require(first.runs().isEmpty, "the name has a delay")
        await first.shutDown()
        let second = Workbench(after: first, journal: journal)
        try await second.scheduler.add(second.job("job", "@reboot", jitter: .seconds(3_600)))
        await second.clock.advance(by: .seconds(3_601))
        #expect(second.runs().count == 1)
        await second.shutDown()
    }

    @Test("S-3, S-4: a job of pauses keeps its jitter over a restart before its first run")
    func jitterKept() async throws {
        let journal = InMemoryRunJournal()
        let first = try Workbench(journal: journal)
        let names = (0..<20).map { "job \($0)" }
        func jobs(_ bench: Workbench) throws -> [CronJob] {
            try names.map { try bench.job($0, "@every 1d", jitter: .seconds(3_600)) }
        }
        func next(_ bench: Workbench) -> [Duration?] {
            names.map { bench.scheduler.job(ActivityName($0))?.next }
        }
        try await first.scheduler.add(jobs(first))
        let times = next(first)
        #expect(Set(times).count == names.count)
        await first.shutDown()
        await first.clock.advance(by: .seconds(60))
        let second = Workbench(after: first, journal: journal)
        try await second.scheduler.add(jobs(second))
        #expect(next(second) == times)
        await second.shutDown()
    }

    @Test("S-4: runs that waited for their turn and had it are not repeated after a restart")
    func hadTheirTurn() async throws {
        let journal = InMemoryRunJournal()
        let first = try Workbench(journal: journal)
        let gate = Gate()
        gate.close()
        func job(_ bench: Workbench) throws -> CronJob {
            try bench.job("job", "* * * * *", overlap: .queue(limit: 5), missed: .all(limit: 10)) { _ in
                _ = await gate.pass()
            }
        }
        try await first.scheduler.add(job(first))
        await first.clock.advance(by: .seconds(190))
        gate.open()
        first.settle()
        #expect(first.runs().count == 3)
        // Killed: nothing is shut down.
        let second = Workbench(after: first, journal: journal)
        try await second.scheduler.add(job(second))
        second.settle()
        #expect(second.runs().isEmpty)
    }

    @Test("S-4: a run whose turn comes while the journal cannot be written waits for it too")
    func turnWhileHeld() async throws {
        let store = FailingSecretStore(InMemorySecretStore())
        let bench = try Workbench(journal: SecretStoreRunJournal(store))
        let gate = Gate()
        gate.close()
        try await bench.scheduler.add([
            bench.job("queued", "* * * * *", overlap: .queue(limit: 5)) { _ in _ = await gate.pass() },
            bench.job("other", "3 8 * * *"),
        ])
        await bench.clock.advance(by: .seconds(120))
        #expect(bench.runs().map(\.job) == ["queued"])
        store.failNext(.write, with: Self.full)
        await bench.clock.advance(by: .seconds(60))
        gate.open()
        bench.settle()
        #expect(bench.runs().isEmpty)
        await bench.clock.advance(by: .seconds(2))
        let start = try Instant.second("2026-03-02T08:00:00Z")
        let queued = bench.runs().filter { $0.job == "queued" }
        #expect(queued.map(\.scheduled) == [.seconds(start + 120), .seconds(start + 180)])
        await bench.shutDown()
    }

    @Test("S-1, S-4: a pause keeps its fraction of a second over a restart")
    func fraction() async throws {
        let journal = InMemoryRunJournal()
        let first = try Workbench(journal: journal)
        await first.clock.advance(by: .milliseconds(250))
        try await first.scheduler.add(first.job("@every 60s"))
        await first.clock.advance(by: .seconds(90))
        let due = try #require(first.scheduler.job("job")?.next)
        await first.shutDown()
        let second = Workbench(after: first, journal: journal)
        try await second.scheduler.add(second.job("@every 60s"))
        #expect(second.scheduler.job("job")?.next == due)
        await second.shutDown()
    }

    @Test("S-4: a journal that fails is tried after pauses that double, up to a minute")
    func pauses() async throws {
        let failing = FailingSecretStore(InMemorySecretStore())
        let store = RecordingSecretStore(failing)
        let bench = try Workbench(journal: SecretStoreRunJournal(store))
        try await bench.scheduler.add(bench.job("30 8 * * *"))
        for _ in 0..<20 { failing.failNext(.write, with: Self.full) }
        store.forgetCalls()
        await bench.clock.advance(by: .seconds(1_800))
        #expect(store.count(of: .write) == 1)
        for (pause, number) in [1, 2, 4, 8, 16, 32, 60, 60, 60].enumerated().map({ ($1, $0 + 2) }) {
            await bench.clock.advance(by: .seconds(pause) - .milliseconds(1))
            #expect(store.count(of: .write) == number - 1, "before \(pause) s")
            await bench.clock.advance(by: .milliseconds(1))
            #expect(store.count(of: .write) == number, "after \(pause) s")
        }
        #expect(bench.runs().isEmpty)
    }

    @Test("S-4: the items of a journal are listed at its first use, and a record is one write and no more")
    func reads() async throws {
        let store = RecordingSecretStore(InMemorySecretStore())
        let journal = SecretStoreRunJournal(store)
        let record = RunRecord(schedule: 1, last: .seconds(1), boot: BootID("boot"))
        for number in 0..<5 {
            try await journal.record([JournalEntry(job: ActivityName("job-\(number)"), record: record)])
        }
        #expect(store.count(of: .names) == 2, "until two readings agree")
        store.forgetCalls()
        try await journal.record([JournalEntry(job: "unknown", record: nil)])
        #expect(store.count(of: .write) == 0)
        #expect(try await journal.records(of: ["job-4"])["job-4"] == record)
        #expect(store.count(of: .names) == 0)
    }

    @Test("S-4: the groups are folded when they are larger than twice the table, not earlier")
    func foldings() async throws {
        let store = RecordingSecretStore(InMemorySecretStore())
        let journal = SecretStoreRunJournal(store)
        // About 120 kB, so that twice the table is far more than the least for which folding is worth it.
        let names = (0..<120).map { "job-\($0)" + String(repeating: "x", count: 900) }
        try await journal.record(names.map { .of($0, 1) })
        #expect(store.count(of: .remove) > 0, "folded at once: there is no table yet")
        store.forgetCalls()
        for number in 2..<4 {
            try await journal.record(names.map { .of($0, number) })
            #expect(store.count(of: .remove) == 0, "\(number - 1) times the table")
        }
        try await journal.record(names.map { .of($0, 4) })
        #expect(store.count(of: .remove) > 0)
    }
}
