import CronScheduler
import PortcullisCore
import PortcullisTesting
import Testing

/// Jobs that are added and removed around the end of their scheduler.
extension JournalTests {
    @Test("S-3, S-4: an addition that a shutdown refuses after its record was stored costs no missed run")
    func additionDuringShutDown() async throws {
        let additions = Gate()
        let journal = LingeringJournal(gates: ["job": additions])
        let first = try Workbench(journal: journal)
        try await first.scheduler.add(first.job("job", "30 8 * * *"))
        additions.close()
        let adding = Task(executorPreference: first.executor) {
            try await first.scheduler.add(first.job("job", "0 12 * * *"))
        }
        first.settle()
        #expect(additions.heldCount == 1)
        await first.shutDown()
        additions.open()
        first.settle()
        let error = await #expect(throws: CronSchedulerError.self) { try await adding.value }
        #expect(error?.code == .shutDown)
        await first.clock.suspend(for: .seconds(3_600))
        let second = Workbench(after: first, journal: journal)
        try await second.scheduler.add(second.job("job", "30 8 * * *"))
        second.settle()
        #expect(second.times() == ["2026-03-02T08:30:00Z"])
        await second.shutDown()
    }

    @Test("S-3, S-4: a job that is added during its removal has a record if the removal ends after all else")
    func removalAfterShutDown() async throws {
        let removals = Gate()
        let journal = LingeringJournal(removals: removals)
        let bench = try Workbench(journal: journal)
        try await bench.scheduler.add(bench.job("job", "30 8 * * *"))
        removals.close()
        let removing = Task(executorPreference: bench.executor) {
            try await bench.scheduler.remove(["job"])
        }
        bench.settle()
        #expect(removals.heldCount == 1)
        try await bench.scheduler.add(bench.job("job", "30 8 * * *"))
        await bench.clock.advance(by: .seconds(1_800))
        #expect(bench.runs().count == 1)
        await bench.shutDown()
        removals.open()
        bench.settle()
        try await removing.value
        #expect(try await journal.records(of: ["job"])["job"]?.last == bench.clock.now.wall)
    }

    @Test(
        "S-3, S-4: a shutdown tries once more to write a correction that waits for a retry",
        arguments: [(1, 1), (2, 0)]
    )
    func retryAtShutDown(failures: Int, runs: Int) async throws {
        let storage = InMemorySecretStore.Storage()
        let store = FailingSecretStore(InMemorySecretStore(storage))
        let first = try Workbench(journal: SecretStoreRunJournal(store))
        try await first.scheduler.add(first.job("job", "30 8 * * *"))
        let full = SecretStoreError(code: .diskFull, message: "no space is left")
        store.failNextAfterEffect(.write, with: full)
        let other = try first.job("job", "0 12 * * *")
        await #expect(throws: CronSchedulerError.self) { try await first.scheduler.add(other) }
        // The correction fails before the shutdown, and in the second case during the shutdown too.
        for _ in 0..<failures { store.failNext(.write, with: full) }
        first.settle()
        await first.shutDown()
        await first.clock.suspend(for: .seconds(3_600))
        let second = Workbench(after: first, journal: SecretStoreRunJournal(InMemorySecretStore(storage)))
        try await second.scheduler.add(second.job("job", "30 8 * * *"))
        second.settle()
        #expect(second.runs().count == runs)
        await second.shutDown()
    }

    @Test("S-3, S-4: a shutdown corrects the records of other jobs while a run waits for a retry")
    func correctionsBesideRun() async throws {
        let storage = InMemorySecretStore.Storage()
        let store = FailingSecretStore(InMemorySecretStore(storage))
        let first = try Workbench(journal: SecretStoreRunJournal(store))
        func jobs(of bench: Workbench) throws -> [CronJob] {
            [
                try bench.job("waiting", "30 8 * * *"),
                try bench.job("mistrusted", "0 9 * * *"),
                try bench.job("removed", "15 9 * * *"),
            ]
        }
        try await first.scheduler.add(jobs(of: first))
        let full = SecretStoreError(code: .diskFull, message: "no space is left")
        store.failNext(.write, with: full)
        await first.clock.advance(by: .seconds(1_800))
        store.failNextAfterEffect(.write, with: full)
        let other = try first.job("mistrusted", "0 12 * * *")
        await #expect(throws: CronSchedulerError.self) { try await first.scheduler.add(other) }
        store.failNext(.write, with: full)
        await #expect(throws: CronSchedulerError.self) { try await first.scheduler.remove(["removed"]) }
        await first.shutDown()
        #expect(first.runs().isEmpty)
        await first.clock.suspend(for: .seconds(3_600))
        let second = Workbench(after: first, journal: SecretStoreRunJournal(InMemorySecretStore(storage)))
        try await second.scheduler.add(jobs(of: second))
        second.settle()
        #expect(second.times().sorted() == ["2026-03-02T08:30:00Z", "2026-03-02T09:00:00Z"])
        await second.shutDown()
    }

    @Test("S-3, S-4: of two calls that shut down at once, each waits for the last correction of the journal")
    func shutDownTwice() async throws {
        let (runs, removals) = (Gate(), Gate())
        let journal = LingeringJournal(gates: ["job": runs], removals: removals)
        let bench = try Workbench(journal: journal)
        try await bench.scheduler.add(bench.job("job", "30 8 * * *"))
        runs.close()
        await bench.clock.advance(by: .seconds(1_800))
        // The removal is written now, and once more after the write that is under way.
        try await bench.scheduler.remove(["job"])
        removals.close()
        let ended = Gate()
        ended.close()
        let endings = (0..<2).map { _ in
            Task(executorPreference: bench.executor) {
                await bench.scheduler.shutDown()
                _ = await ended.pass()
            }
        }
        bench.settle()
        runs.open()
        bench.settle()
        #expect(removals.heldCount == 1)
        #expect(ended.heldCount == 0)
        removals.open()
        ended.open()
        bench.settle()
        for ending in endings { await ending.value }
        #expect(bench.runs().isEmpty)
    }
}
