import CronScheduler
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

/// Jobs that are replaced or removed while the journal is behind them.
extension JournalTests {
    @Test("S-1, S-4: a job for the machine's start that replaces one with waiting runs has not run by that")
    func replacedWhileWaiting() async throws {
        let storage = InMemorySecretStore.Storage()
        let store = FailingSecretStore(InMemorySecretStore(storage))
        let first = try Workbench(journal: SecretStoreRunJournal(store))
        let gate = Gate()
        gate.close()
        try await first.scheduler.add(
            first.job("job", "* * * * *", overlap: .queue(limit: 5)) { _ in _ = await gate.pass() }
        )
        await first.clock.advance(by: .seconds(120))
        store.failNext(.write, with: SecretStoreError(code: .diskFull, message: "no space is left"))
        await first.clock.advance(by: .seconds(60))
        // The first run ends, and the turn of the next one waits for the journal.
        gate.open()
        first.settle()
        #expect(first.runs().count == 1)
        try await first.scheduler.add(first.job("job", "@reboot", jitter: .seconds(3_600)))
        await first.clock.advance(by: .seconds(2))
        try #require(first.runs().isEmpty, "the name has a delay")
        await first.shutDown()
        let second = Workbench(
            after: first,
            journal: SecretStoreRunJournal(InMemorySecretStore(storage))
        )
        try await second.scheduler.add(second.job("job", "@reboot", jitter: .seconds(3_600)))
        await second.clock.advance(by: .seconds(3_601))
        #expect(second.runs().count == 1)
        await second.shutDown()
    }

    @Test("S-4: runs that waited when their job began to be remembered are missed ones after a restart")
    func waitingWhenRemembered() async throws {
        let journal = InMemoryRunJournal()
        let first = try Workbench(journal: journal)
        let gate = Gate()
        gate.close()
        for missed in [MissedRunPolicy.skip, .all(limit: 10)] {
            try await first.scheduler.add(
                first.job("job", "* * * * *", overlap: .queue(limit: 5), missed: missed) { _ in
                    _ = await gate.pass()
                }
            )
            if missed == .skip { await first.clock.advance(by: .seconds(190)) }
        }
        first.settle()
        #expect(first.runs().count == 1 && first.scheduler.job("job")?.waiting == 2)
        // Killed: nothing is shut down.
        let second = Workbench(after: first, journal: journal)
        try await second.scheduler.add(
            second.job("job", "* * * * *", overlap: .queue(limit: 5), missed: .all(limit: 10))
        )
        second.settle()
        #expect(second.times() == ["2026-03-02T08:02:00Z", "2026-03-02T08:03:00Z"])
        gate.open()
    }

    @Test("S-4: a job that is added again keeps its record if an earlier removal is written after it")
    func removalAfterRecord() async throws {
        let (runs, additions) = (Gate(), Gate())
        let journal = LingeringJournal(gates: ["run": runs, "job": additions])
        let bench = try Workbench(journal: journal)
        try await bench.scheduler.add([bench.job("run", "1 8 * * *"), bench.job("job", "30 8 * * *")])
        runs.close()
        await bench.clock.advance(by: .seconds(60))
        // The removal is written now, and once more after the write that is under way.
        try await bench.scheduler.remove(["job"])
        additions.close()
        let adding = Task { try await bench.scheduler.add(bench.job("job", "0 12 * * *")) }
        await additions.waitForHeld(1)
        runs.open()
        bench.settle()
        #expect(try await journal.records(of: ["job"]).isEmpty, "removed after it was recorded")
        additions.open()
        try await adding.value
        bench.settle()
        #expect(try await journal.records(of: ["job"]).count == 1)
        await bench.shutDown()
    }

    @Test("S-4: a job keeps its record if it is removed while it is being added")
    func removalDuringAddition() async throws {
        let additions = Gate()
        let journal = LingeringJournal(gates: ["job": additions])
        let bench = try Workbench(journal: journal)
        additions.close()
        let adding = Task { try await bench.scheduler.add(bench.job("job", "0 12 * * *")) }
        await additions.waitForHeld(1)
        try await bench.scheduler.remove(["job"])
        #expect(try await journal.records(of: ["job"]).isEmpty, "removed after it was recorded")
        additions.open()
        try await adding.value
        bench.settle()
        #expect(try await journal.records(of: ["job"]).count == 1)
        await bench.shutDown()
    }

    @Test("S-4: a job that is added again before a removal is retried has its record after the retry")
    func additionBeforeRetry() async throws {
        let runs = Gate()
        let store = FailingSecretStore(InMemorySecretStore())
        let full = SecretStoreError(code: .diskFull, message: "no space is left")
        let journal = LingeringJournal(SecretStoreRunJournal(store), gates: ["run": runs])
        let bench = try Workbench(journal: journal)
        try await bench.scheduler.add([bench.job("run", "1 8 * * *"), bench.job("job", "30 8 * * *")])
        store.failNext(.write, with: full)
        await bench.clock.advance(by: .seconds(60))
        store.failNext(.write, with: full)
        await #expect(throws: CronSchedulerError.self) { try await bench.scheduler.remove(["job"]) }
        try await bench.scheduler.add(bench.job("job", "30 8 * * *"))
        runs.close()
        await bench.clock.advance(by: .seconds(1))
        #expect(runs.heldCount == 1, "the retry is stored, and no later write")
        #expect(try await journal.records(of: ["job"]).count == 1)
        runs.open()
        await bench.shutDown()
    }

    @Test(
        "S-1, S-4: a job that is added during its removal has a record, and none that says it has run",
        arguments: [
            ("0 12 * * *", 3_600, false, 1), ("0 12 * * *", 3_600, true, 1),
            ("@reboot", 3_600, false, 0), ("@reboot", 0, false, 1),
        ]
    )
    func additionDuringRemoval(_ expression: String, jitter: Int, fails: Bool, records: Int) async throws {
        let removals = Gate()
        let journal = LingeringJournal(removals: removals)
        let bench = try Workbench(journal: journal)
        try await bench.scheduler.add(bench.job("job", expression, jitter: .seconds(jitter)))
        removals.close()
        journal.failsAfterRemoval.store(fails, ordering: .relaxed)
        let removing = Task { try await bench.scheduler.remove(["job"]) }
        await removals.waitForHeld(1)
        try await bench.scheduler.add(bench.job("job", expression, jitter: .seconds(jitter)))
        bench.settle()
        try #require(bench.runs().count == (jitter == 0 ? 1 : 0), "the name has a delay")
        removals.open()
        if fails {
            await #expect(throws: CronSchedulerError.self) { try await removing.value }
        } else {
            try await removing.value
        }
        bench.settle()
        #expect(try await journal.records(of: ["job"]).count == records)
        await bench.shutDown()
    }

    @Test("S-4: of two additions of one job at once, the later one puts no record before a run")
    func additionsAtOnce() async throws {
        let readings = Gate()
        let journal = LingeringJournal(readings: readings)
        let first = try Workbench(journal: journal)
        readings.close()
        journal.holdsNextReading.store(true, ordering: .relaxed)
        let late = Task { try await first.scheduler.add(first.job("job", "30 8 * * *")) }
        await readings.waitForHeld(1)
        try await first.scheduler.add(first.job("job", "30 8 * * *"))
        await first.clock.advance(by: .seconds(1_800))
        #expect(first.runs().count == 1)
        readings.open()
        try await late.value
        first.settle()
        await first.shutDown()
        let second = Workbench(after: first, journal: journal)
        try await second.scheduler.add(second.job("job", "30 8 * * *"))
        second.settle()
        #expect(second.runs().isEmpty)
        await second.shutDown()
    }

    @Test("S-4: a job that runs and is removed while it is being added again does not repeat the run")
    func removalAfterReading() async throws {
        let readings = Gate()
        let journal = LingeringJournal(readings: readings)
        let bench = try Workbench(journal: journal)
        try await bench.scheduler.add(bench.job("job", "30 8 * * *"))
        readings.close()
        journal.holdsNextReading.store(true, ordering: .relaxed)
        let adding = Task { try await bench.scheduler.add(bench.job("job", "30 8 * * *")) }
        await readings.waitForHeld(1)
        await bench.clock.advance(by: .seconds(1_800))
        #expect(bench.runs().count == 1)
        try await bench.scheduler.remove(["job"])
        readings.open()
        try await adding.value
        bench.settle()
        #expect(bench.runs().isEmpty)
        #expect(try await journal.records(of: ["job"])["job"]?.last == bench.clock.now.wall)
        await bench.shutDown()
    }

    @Test("S-4: a job whose removal has failed continues from its record, also while another job is added")
    func failedRemoval() async throws {
        let additions = Gate()
        let store = FailingSecretStore(InMemorySecretStore())
        let journal = LingeringJournal(SecretStoreRunJournal(store), gates: ["other": additions])
        let bench = try Workbench(journal: journal)
        try await bench.scheduler.add(bench.job("job", "30 8 * * *"))
        additions.close()
        let adding = Task { try await bench.scheduler.add(bench.job("other", "0 12 * * *")) }
        await additions.waitForHeld(1)
        store.failNext(.write, with: SecretStoreError(code: .diskFull, message: "no space is left"))
        await #expect(throws: CronSchedulerError.self) { try await bench.scheduler.remove(["job"]) }
        await bench.clock.advance(by: .seconds(3_600))
        try await bench.scheduler.add(bench.job("job", "30 8 * * *"))
        bench.settle()
        #expect(bench.times() == ["2026-03-02T08:30:00Z"])
        additions.open()
        try await adding.value
        await bench.shutDown()
    }

    @Test(
        "S-4: an addition that is refused after its entry was stored costs the present job no missed run",
        arguments: [MissedRunPolicy.once, .skip]
    )
    func refusedAddition(missed: MissedRunPolicy) async throws {
        let storage = InMemorySecretStore.Storage()
        let store = FailingSecretStore(InMemorySecretStore(storage))
        let first = try Workbench(journal: SecretStoreRunJournal(store))
        try await first.scheduler.add(first.job("job", "30 8 * * *"))
        let full = SecretStoreError(code: .diskFull, message: "no space is left")
        store.failNextAfterEffect(.write, with: full)
        let other = try first.job("job", "0 12 * * *", missed: missed)
        let error = await #expect(throws: CronSchedulerError.self) { try await first.scheduler.add(other) }
        #expect(error?.code == .journal)
        first.settle()
        await first.shutDown()
        await first.clock.suspend(for: .seconds(3_600))
        let second = Workbench(after: first, journal: SecretStoreRunJournal(InMemorySecretStore(storage)))
        try await second.scheduler.add(second.job("job", "30 8 * * *"))
        second.settle()
        #expect(second.times() == ["2026-03-02T08:30:00Z"])
        await second.shutDown()
    }

    @Test("S-1, S-4: an @reboot job that did not want to be remembered for a while does not run again")
    func rebootSkipMeanwhile() async throws {
        let journal = InMemoryRunJournal()
        let first = try Workbench(journal: journal)
        for missed in [MissedRunPolicy.once, .skip, .once] {
            try await first.scheduler.add(first.job("job", "@reboot", missed: missed))
            first.settle()
        }
        #expect(first.runs().count == 1)
        await first.shutDown()
        let second = Workbench(after: first, journal: journal)
        try await second.scheduler.add(second.job("job", "@reboot"))
        second.settle()
        #expect(second.runs().isEmpty)
        await second.shutDown()
    }

    @Test("S-1, S-4: an @reboot job whose run waits when the process ends runs in the next process")
    func rebootWaiting() async throws {
        let journal = InMemoryRunJournal()
        let first = try Workbench(journal: journal)
        let gate = Gate()
        gate.close()
        try await first.scheduler.add(
            first.job("job", "* * * * *", overlap: .queue(limit: 5)) { _ in _ = await gate.pass() }
        )
        await first.clock.advance(by: .seconds(60))
        try await first.scheduler.add(first.job("job", "@reboot", overlap: .queue(limit: 5)))
        first.settle()
        #expect(first.runs().count == 1 && first.scheduler.job("job")?.waiting == 1)
        // Killed: nothing is shut down.
        let second = Workbench(after: first, journal: journal)
        try await second.scheduler.add(second.job("job", "@reboot", overlap: .queue(limit: 5)))
        second.settle()
        #expect(second.runs().count == 1)
        gate.open()
    }
}
