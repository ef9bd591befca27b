import CronScheduler
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

/// Journals that fail, wait, or are somebody else's too.
extension JournalTests {
    @Test("S-4: while the journal cannot be written runs wait, activities go on, and the problem is told")
    func failingJournal() async throws {
        let store = FailingSecretStore(InMemorySecretStore())
        let bench = try Workbench(journal: SecretStoreRunJournal(store))
        try await bench.scheduler.add(bench.job("* * * * *"))
        let hours = ActivitySchedule(
            start: try #require(TimeOfDay(hour: 8, minute: 1)),
            end: try #require(TimeOfDay(hour: 9, minute: 0)),
            repeats: true
        )
        try await bench.scheduler.start("hours", schedule: hours)
        bench.settle()
        var problems = bench.scheduler.problems().makeAsyncIterator()
        var events = bench.scheduler.events().makeAsyncIterator()
        for _ in 0..<3 { store.failNext(.write, with: .diskFull) }
        await bench.clock.advance(by: .seconds(60))
        #expect(bench.runs().isEmpty)
        #expect(await problems.next()?.code == .journal)
        #expect(await events.next()?.kind == .intervalDidStart)
        // Tried again after one, two and four seconds.
        await bench.clock.advance(by: .seconds(6))
        #expect(bench.runs().isEmpty)
        await bench.clock.advance(by: .seconds(1))
        let runs = bench.runs()
        #expect(runs.count == 1)
        #expect(runs.first?.scheduled == .seconds(try Instant.second("2026-03-02T08:01:00Z")))
        await bench.clock.advance(by: .seconds(60))
        #expect(bench.runs().count == 1)
        await bench.shutDown()
    }

    @Test("S-4: a journal that cannot be read refuses the job, and nothing is changed")
    func unreadable() async throws {
        let store = FailingSecretStore(InMemorySecretStore())
        let bench = try Workbench(journal: SecretStoreRunJournal(store))
        store.failNext(.names, with: .diskFull)
        let job = try bench.job("* * * * *")
        let error = await #expect(throws: CronSchedulerError.self) { try await bench.scheduler.add(job) }
        #expect(error?.code == .journal)
        #expect(bench.scheduler.jobs().isEmpty)
        try await bench.scheduler.add(job)
    }

    @Test("S-4: a damaged journal is an error, never an empty journal")
    func damaged() async throws {
        let store = InMemorySecretStore()
        let name = try SecretName("group-1", in: .library("schedule"))
        try await store.write(
            SecretBytes(copying: Array("{\"number\":1".utf8)),
            to: name,
            accessibility: .afterFirstUnlock
        )
        let error = await #expect(throws: RunJournalError.self) {
            _ = try await SecretStoreRunJournal(store).records(of: ["a"])
        }
        #expect(error?.code == .damaged)
    }

    @Test("S-4: a journal that takes the items over shuts the earlier one out, also after it folded them")
    func takenOver() async throws {
        let storage = InMemorySecretStore.Storage()
        let first = SecretStoreRunJournal(InMemorySecretStore(storage))
        try await first.record([.of("a", 1)])
        let second = SecretStoreRunJournal(InMemorySecretStore(storage))
        #expect(try await second.records(of: ["a"])["a"]?.last == .seconds(1))
        for number in 2..<2_000 { try await second.record([.of("a", number)]) }
        for _ in 0..<2 {
            let error = await #expect(throws: RunJournalError.self) {
                try await first.record([.of("a", 9_999)])
            }
            #expect(error?.code == .otherWriter)
        }
        let third = SecretStoreRunJournal(InMemorySecretStore(storage))
        #expect(try await third.records(of: ["a"])["a"]?.last == .seconds(1_999))
    }

    @Test(
        "S-4: a journal that loses its items while it folds them writes nothing over the new owner's table",
        arguments: [0, 1],
        [true, false]
    )
    func takenOverWhileFolding(page: Int, ownerFolds: Bool) async throws {
        let storage = InMemorySecretStore.Storage()
        // The table takes two items.
        let names = (0..<250).map { "job-\($0)" + String(repeating: "x", count: 900) }
        try await SecretStoreRunJournal(InMemorySecretStore(storage)).record(names.map { .of($0, 1) })
        let second = SecretStoreRunJournal(InMemorySecretStore(storage))
        let store = InterruptedFold(InMemorySecretStore(storage), before: page) {
            _ = try? await second.records(of: [])
            // With what the first journal has left, two records are enough to fold.
            for _ in 0..<2 where ownerFolds { try? await second.record(names.map { .of($0, 8) }) }
        }
        let first = SecretStoreRunJournal(store)
        for _ in 0..<5 where !store.isOver { try await first.record(names.map { .of($0, 2) }) }
        #expect(store.isOver)
        let items = try await InMemorySecretStore(storage).names(in: .library("schedule"))
        let hasEarlierTable = items.contains { $0.name == "table-0" }
        #expect(hasEarlierTable == !ownerFolds)
        let error = await #expect(throws: RunJournalError.self) { try await first.record([.of("new", 2)]) }
        #expect(error?.code == .otherWriter)
        // The owner goes on, also after the other journal has written pages of a table.
        for _ in 0..<3 where !ownerFolds { try await second.record(names.map { .of($0, 8) }) }
        try await second.record([.of("new", 7)])
        let third = SecretStoreRunJournal(InMemorySecretStore(storage))
        let records = try await third.records(of: (names + ["new"]).map { ActivityName($0) })
        #expect(records.count == names.count + 1 && records["new"]?.last == .seconds(7))
        #expect(records.allSatisfy { $0.key == "new" || $0.value.last == .seconds(8) })
    }

    @Test("S-4: of two schedulers on one journal the later one runs the jobs")
    func twoSchedulers() async throws {
        let storage = InMemorySecretStore.Storage()
        let first = try Workbench(journal: SecretStoreRunJournal(InMemorySecretStore(storage)))
        try await first.scheduler.add(first.job("30 8 * * *"))
        let second = Workbench(after: first, journal: SecretStoreRunJournal(InMemorySecretStore(storage)))
        try await second.scheduler.add(second.job("30 8 * * *"))
        var problems = first.scheduler.problems().makeAsyncIterator()
        await first.clock.advance(by: .seconds(3_600))
        #expect(await problems.next()?.code == .journal)
        #expect(first.runs().isEmpty)
        #expect(second.runs().count == 1)
        await first.shutDown()
        await second.shutDown()
    }

    @Test("S-4: the folded table loses nothing and brings nothing back, wherever the store fails")
    func folding() async throws {
        for failing in 0..<60 {
            let storage = InMemorySecretStore.Storage()
            let store = FailingSecretStore(InMemorySecretStore(storage))
            let journal = SecretStoreRunJournal(store)
            let names = (0..<40).map { "job-\($0)" + String(repeating: "x", count: 900) }
            try await journal.record(names.map { .of($0, 1) })
            try await journal.record(
                names.dropFirst(3).map { JournalEntry(job: ActivityName($0), record: nil) }
            )
            // The next records fold the table several times, with one failure among their writes and removals.
            var expected = 1
            for number in 2..<30 {
                if number == 2 + failing % 28 {
                    store.failNext(failing % 2 == 0 ? .write : .remove, with: .diskFull)
                }
                do {
                    try await journal.record(names.prefix(3).map { .of($0, number) })
                    expected = number
                } catch {
                    #expect(error.code == .store)
                }
            }
            let reopened = SecretStoreRunJournal(InMemorySecretStore(storage))
            let records = try await reopened.records(of: names.map { ActivityName($0) })
            #expect(records.count == 3)
            #expect(records.values.allSatisfy { $0.last == .seconds(expected) })
        }
    }

    @Test("S-4: what was written although the store failed is known afterwards")
    func writtenAllTheSame() async throws {
        let store = FailingSecretStore(InMemorySecretStore())
        let journal = SecretStoreRunJournal(store)
        try await journal.record([.of("a", 1)])
        store.failNextAfterEffect(.write, with: .diskFull)
        await #expect(throws: RunJournalError.self) { try await journal.record([.of("a", 2)]) }
        #expect(try await journal.records(of: ["a"])["a"]?.last == .seconds(2))
        try await journal.record([.of("b", 3)])
        let last = try await journal.records(of: ["a", "b"]).mapValues(\.last)
        #expect(last == ["a": .seconds(2), "b": .seconds(3)])
    }

    @Test("S-4: a job that is removed or replaced while its run waits for the journal does not run any more")
    func replacedWhileHeld() async throws {
        let storage = InMemorySecretStore.Storage()
        let store = FailingSecretStore(InMemorySecretStore(storage))
        let bench = try Workbench(journal: SecretStoreRunJournal(store))
        try await bench.scheduler.add([bench.job("a", "30 8 * * *"), bench.job("b", "30 8 * * *")])
        store.failNext(.write, with: .diskFull)
        await bench.clock.advance(by: .seconds(1_800))
        #expect(bench.runs().isEmpty)
        try await bench.scheduler.remove(["a"])
        try await bench.scheduler.add(bench.job("b", "0 12 * * *"))
        await bench.clock.advance(by: .seconds(60))
        #expect(bench.runs().isEmpty)
        // Killed, and started again after the time of the new schedule.
        await bench.clock.suspend(for: .seconds(5 * 3_600))
        _ = bench.runs()
        let next = Workbench(
            after: bench,
            journal: SecretStoreRunJournal(InMemorySecretStore(storage))
        )
        try await next.scheduler.add([next.job("a", "30 8 * * *"), next.job("b", "30 8 * * *")])
        next.settle()
        #expect(next.runs().isEmpty)
    }

    @Test(
        "S-4: of a job that is removed while its run is being written no record is left",
        arguments: [false, true]
    )
    func removedWhileWriting(shutsDown: Bool) async throws {
        let gate = Gate()
        let journal = SlowJournal(gate: gate)
        let bench = try Workbench(journal: journal)
        try await bench.scheduler.add(bench.job("30 8 * * *"))
        gate.close()
        await bench.clock.advance(by: .seconds(1_800))
        // The removal is written first, and the run after it.
        try await bench.scheduler.remove(["job"])
        let ending = Task(executorPreference: bench.executor) {
            if shutsDown { await bench.scheduler.shutDown() }
        }
        bench.settle()
        gate.open()
        bench.settle()
        await ending.value
        #expect(bench.runs().isEmpty)
        #expect(try await journal.records(of: ["job"]).isEmpty)
    }

    @Test("S-4: while the journal fails, jobs that it need not know of run in time")
    func unjournalledWhileHeld() async throws {
        let store = FailingSecretStore(InMemorySecretStore())
        let bench = try Workbench(journal: SecretStoreRunJournal(store))
        try await bench.scheduler.add([
            bench.job("kept", "* * * * *"), bench.job("free", "* * * * *", missed: .skip),
        ])
        for _ in 0..<8 { store.failNext(.write, with: .diskFull) }
        await bench.clock.advance(by: .seconds(120))
        #expect(bench.runs().map(\.job) == ["free", "free"])
        await bench.clock.advance(by: .seconds(200))
        let kept = bench.runs().filter { $0.job == "kept" }
        #expect(kept.first?.scheduled == .seconds(try Instant.second("2026-03-02T08:01:00Z")))
        #expect(kept.first.map { $0.started > $0.scheduled } == true)
    }

    @Test("S-4, S-5: runs that wait for the journal do not wait for a wall clock that was set back")
    func heldAndSetBack() async throws {
        let store = FailingSecretStore(InMemorySecretStore())
        let bench = try Workbench(journal: SecretStoreRunJournal(store))
        try await bench.scheduler.add(bench.job("* * * * *"))
        store.failNext(.write, with: .diskFull)
        await bench.clock.advance(by: .milliseconds(60_500))
        try await bench.setWall("2026-03-01T08:00:00Z")
        await bench.clock.advance(by: .seconds(180))
        #expect(bench.runs().count >= 3)
    }

    @Test("S-4: a job that did not want to be remembered for a while repeats nothing afterwards")
    func skipMeanwhile() async throws {
        let journal = InMemoryRunJournal()
        var bench = try Workbench(journal: journal)
        for missed in [MissedRunPolicy.once, .skip, .once] {
            try await bench.scheduler.add(bench.job("job", "30 8 * * *", missed: missed))
            bench.settle()
            await bench.clock.advance(by: .seconds(86_400))
            #expect(bench.runs().count == 1)
            await bench.shutDown()
            bench = Workbench(after: bench, journal: journal)
        }
    }

    @Test("S-1, S-4: the pauses of @every go on over a restart, also with runs that waited")
    func everyWaiting() async throws {
        let journal = InMemoryRunJournal()
        let first = try Workbench(journal: journal)
        let gate = Gate()
        gate.close()
        try await first.scheduler.add(
            first.job("job", "@every 60s", overlap: .queue(limit: 5), missed: .all(limit: 10)) { _ in
                _ = await gate.pass()
            }
        )
        await first.clock.advance(by: .seconds(190))
        let second = Workbench(after: first, journal: journal)
        try await second.scheduler.add(
            second.job("job", "@every 60s", overlap: .queue(limit: 5), missed: .all(limit: 10))
        )
        second.settle()
        #expect(second.times() == ["2026-03-02T08:02:00Z", "2026-03-02T08:03:00Z"])
        gate.open()
    }

    @Test("S-4: of two changes of a job around a write that fails, the journal has the later one")
    func aroundFailure() async throws {
        let gate = Gate()
        let journal = SlowJournal(gate: gate)
        let bench = try Workbench(journal: journal)
        try await bench.scheduler.add(bench.job("job", "30 8 * * *"))
        gate.close()
        await bench.clock.advance(by: .seconds(1_800))
        try await bench.scheduler.remove(["job"])
        journal.isFull.store(true, ordering: .relaxed)
        gate.open()
        bench.settle()
        try await bench.scheduler.add(bench.job("job", "0 12 * * *"))
        await bench.clock.advance(by: .seconds(60))
        await bench.shutDown()
        await bench.clock.suspend(for: .seconds(5 * 3_600))
        let next = Workbench(after: bench, journal: journal)
        try await next.scheduler.add(next.job("job", "0 12 * * *"))
        next.settle()
        #expect(next.times() == ["2026-03-02T12:00:00Z"])
        await next.shutDown()
    }

    @Test("S-5: a zone that changes while a job waits for the journal is the job's zone")
    func zoneMeanwhile() async throws {
        let gate = Gate()
        gate.close()
        let bench = try Workbench(journal: SlowJournal(gate: gate))
        let adding = Task { try await bench.scheduler.add(bench.job("0 12 * * *")) }
        await gate.waitForHeld(1)
        await bench.clock.setZone(try ManualZone(named: "America/New_York"))
        gate.open()
        try await adding.value
        bench.settle()
        #expect(bench.scheduler.job("job")?.next == .seconds(try Instant.second("2026-03-02T17:00:00Z")))
    }

    @Test("S-4: shutting down does not cancel a write, and what was written runs")
    func shutDownWhileWriting() async throws {
        let gate = Gate()
        let journal = SlowJournal(gate: gate)
        let bench = try Workbench(journal: journal)
        try await bench.scheduler.add(bench.job("30 8 * * *"))
        gate.close()
        await bench.clock.advance(by: .seconds(1_800))
        #expect(bench.runs().isEmpty)
        let isOver = Atomic(false)
        let ending = Task(executorPreference: bench.executor) {
            await bench.scheduler.shutDown()
            isOver.store(true, ordering: .relaxed)
        }
        bench.settle()
        let isOverEarly = isOver.load(ordering: .relaxed)
        #expect(!isOverEarly, "what is being written has to run")
        gate.open()
        bench.settle()
        await ending.value
        #expect(bench.runs().count == 1)
        #expect(journal.wasCancelled.load(ordering: .relaxed) == false)
    }
}

/// A journal in which the writes of runs wait at a gate. What removes a job's record passes at once.
private final class SlowJournal: RunJournal {
    private let gate: Gate
    private let base = InMemoryRunJournal()
    let wasCancelled = Atomic(false)
    /// Whether the next record is refused.
    let isFull = Atomic(false)

    init(gate: Gate) { self.gate = gate }

    func records(of jobs: [ActivityName]) async throws(RunJournalError) -> [ActivityName: RunRecord] {
        try await base.records(of: jobs)
    }

    func record(_ entries: [JournalEntry]) async throws(RunJournalError) {
        if entries.contains(where: { $0.record != nil }), await !gate.pass() {
            wasCancelled.store(true, ordering: .relaxed)
        }
        if entries.contains(where: { $0.record != nil }), isFull.exchange(false, ordering: .relaxed) {
            throw RunJournalError(code: .store, message: "full")
        }
        try await base.record(entries)
    }
}

/// Runs a function before one of the writes of a table's pages. These writes are counted from 0.
final class InterruptedFold: ForwardingSecretStore {
    let base: any SecretStore
    private let page: Int
    private let interruption: @Sendable () async -> Void
    /// The number of writes of pages.
    private let count = Mutex(0)

    init(_ base: any SecretStore, before page: Int, interruption: @escaping @Sendable () async -> Void) {
        self.base = base
        self.page = page
        self.interruption = interruption
    }

    var isOver: Bool { count.withLock { $0 > page } }

    func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        let isNow = count.withLock { count in
            guard name.name.hasPrefix("table-") else { return false }
            count += 1
            return count - 1 == page
        }
        if isNow { await interruption() }
        return try await base.write(value, to: name, accessibility: accessibility, if: precondition)
    }
}

extension JournalEntry {
    /// A run of a job at a second.
    static func of(_ job: String, _ second: Int) -> JournalEntry {
        JournalEntry(
            job: ActivityName(job),
            record: RunRecord(schedule: 1, last: .seconds(second), boot: BootID("boot"))
        )
    }
}

extension SecretStoreError {
    fileprivate static let diskFull = SecretStoreError(code: .diskFull, message: "no space is left")
}
