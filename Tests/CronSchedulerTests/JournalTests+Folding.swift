import CronScheduler
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

/// Journals whose table takes two items, and that stop folding between the two.
extension JournalTests {
    private static let names = (0..<250).map { "job-\($0)" + String(repeating: "x", count: 900) }
    private static let full = SecretStoreError(code: .diskFull, message: "no space is left")

    /// The number of items that contain pages of a table.
    private func pageCount(in storage: InMemorySecretStore.Storage) async throws -> Int {
        let items = try await InMemorySecretStore(storage).names(in: .library("schedule"))
        return items.count { $0.name.hasPrefix("table-") }
    }

    /// Records the runs of three jobs until the journal has begun to fold.
    private func recordUntilFolding(_ journal: SecretStoreRunJournal, in store: InterruptedFold) async throws
    {
        for _ in 0..<900 where !store.isOver {
            try await journal.record(Self.names.prefix(3).map { .of($0, 2) })
        }
        try #require(store.isOver)
    }

    @Test(
        "S-4: a fold that stops between two pages of the table loses no job, and the next one cleans up",
        arguments: [250, 100],
        [false, true]
    )
    func stoppedFold(earlierJobs: Int, isKilled: Bool) async throws {
        let storage = InMemorySecretStore.Storage()
        // The table of 100 jobs takes one item.
        let earlier = SecretStoreRunJournal(InMemorySecretStore(storage))
        try await earlier.record(Self.names.prefix(earlierJobs).map { .of($0, 1) })
        #expect(try await pageCount(in: storage) == (earlierJobs == 250 ? 2 : 1))

        let failing = FailingSecretStore(InMemorySecretStore(storage))
        let store = InterruptedFold(failing, before: 1) {
            failing.failNext(.write, with: Self.full)
            // A process that is killed leaves the page that it has written.
            if isKilled { failing.failNext(.remove, with: Self.full) }
        }
        let journal = SecretStoreRunJournal(store)
        try await journal.record(Self.names.dropFirst(earlierJobs).map { .of($0, 1) })
        try await recordUntilFolding(journal, in: store)

        let reopened = SecretStoreRunJournal(InMemorySecretStore(storage))
        let records = try await reopened.records(of: Self.names.map { ActivityName($0) })
        #expect(records.count == Self.names.count)
        #expect(records.values.count { $0.last == .seconds(2) } == 3)
        for _ in 0..<3 { try await reopened.record(Self.names.map { .of($0, 3) }) }
        #expect(try await pageCount(in: storage) == 2)
    }

    @Test("S-4: a journal that is taken over between two pages of the table leaves all jobs to the new owner")
    func takenOverBetweenPages() async throws {
        let storage = InMemorySecretStore.Storage()
        let jobs = Self.names.map { ActivityName($0) }
        let earlier = SecretStoreRunJournal(InMemorySecretStore(storage))
        try await earlier.record(Self.names.map { .of($0, 1) })

        let second = SecretStoreRunJournal(InMemorySecretStore(storage))
        let found = Mutex(0)
        let store = InterruptedFold(InMemorySecretStore(storage), before: 1) {
            let records = try? await second.records(of: jobs)
            found.withLock { $0 = records?.count ?? 0 }
        }
        try await recordUntilFolding(SecretStoreRunJournal(store), in: store)
        let count = found.withLock(\.self)
        #expect(count == jobs.count)

        // The new owner folds what both have written.
        for _ in 0..<4 { try await second.record(Self.names.prefix(125).map { .of($0, 3) }) }
        #expect(try await pageCount(in: storage) == 2)
        let third = SecretStoreRunJournal(InMemorySecretStore(storage))
        let records = try await third.records(of: jobs)
        #expect(records.count == jobs.count)
        #expect(records.values.count { $0.last == .seconds(3) } == 125)
    }

    @Test("S-4: a page that is written late, over a later table, gives no removed job a record again")
    func latePage() async throws {
        let storage = InMemorySecretStore.Storage()
        let names = Self.names.prefix(40)
        let second = SecretStoreRunJournal(InMemorySecretStore(storage))
        let failing = FailingSecretStore(InMemorySecretStore(storage))
        let store = InterruptedFold(failing, before: 0) {
            // The new owner removes a job, and merges twice, so that the first name of a page is free again.
            try? await second.record([JournalEntry(job: "removed", record: nil)])
            for _ in 0..<3 { try? await second.record(names.map { .of($0, 8) }) }
            // The earlier owner writes its page, and can neither check the owner nor remove the page.
            failing.failNext(.read, with: Self.full)
            failing.failNext(.remove, with: Self.full)
        }
        let first = SecretStoreRunJournal(store)
        try await first.record([.of("removed", 1)])
        for _ in 0..<5 where !store.isOver { try await first.record(names.map { .of($0, 1) }) }
        #expect(try await pageCount(in: storage) == 2)

        let third = SecretStoreRunJournal(InMemorySecretStore(storage))
        let records = try await third.records(of: ["removed"] + names.map { ActivityName($0) })
        #expect(records["removed"] == nil)
        #expect(records.count == names.count && records.values.allSatisfy { $0.last == .seconds(8) })
        for _ in 0..<6 { try await third.record(names.map { .of($0, 9) }) }
        #expect(try await pageCount(in: storage) == 1, "the late page goes with the next merge")
    }
}
