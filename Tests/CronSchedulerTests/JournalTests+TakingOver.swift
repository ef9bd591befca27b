import CronScheduler
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

/// Journals that take the items over while the earlier owner folds them.
extension JournalTests {
    @Test("S-4: a journal that is taken over before its table is written removes no group")
    func takenOverBeforeTable() async throws {
        let storage = InMemorySecretStore.Storage()
        let late = LateGroups(InMemorySecretStore(storage))
        let names = (0..<40).map { "job-\($0)" + String(repeating: "x", count: 900) }
        let groups = Mutex<[SecretName]>([])
        let store = InterruptedFold(InMemorySecretStore(storage), before: 0) {
            // The second journal has listed the items, and has read none of them.
            await late.takeOver(reading: names)
            let found = try? await late.base.names(in: .library("schedule"))
            groups.withLock { $0 = found ?? [] }
        }
        let first = SecretStoreRunJournal(store)
        for _ in 0..<9 where !store.isOver { try await first.record(names.map { .of($0, 1) }) }
        try #require(store.isOver)
        let left = try await late.base.names(in: .library("schedule"))
        let found = groups.withLock(\.self)
        #expect(found.count > 1 && Set(left).isSuperset(of: found))
        #expect(try await late.records().count == names.count)
    }

    @Test("S-4: a journal that is taken over while it removes groups loses nothing and brings nothing back")
    func takenOverWhileRemoving() async throws {
        let storage = InMemorySecretStore.Storage()
        let names = (0..<250).map { "job-\($0)" + String(repeating: "x", count: 900) }
        let earlier = SecretStoreRunJournal(InMemorySecretStore(storage))
        for _ in 0..<2 { try await earlier.record(names.map { .of($0, 1) }) }
        let page = try SecretName("table-1", in: .library("schedule"))
        try #require(try await InMemorySecretStore(storage).read(page) != nil, "the table takes two items")

        let late = LateGroups(InMemorySecretStore(storage))
        let isOver = Mutex(false)
        let store = InterruptedSecretStore(InMemorySecretStore(storage), before: .remove) {
            // The second journal has read the pages of the table, and none of the groups.
            await late.takeOver(reading: names)
            isOver.withLock { $0 = true }
        }
        let first = SecretStoreRunJournal(store)
        try await first.record(names.dropFirst(3).map { JournalEntry(job: ActivityName($0), record: nil) })
        for _ in 0..<900 where !isOver.withLock(\.self) {
            try await first.record(names.prefix(3).map { .of($0, 2) })
        }
        let wasTakenOver = isOver.withLock(\.self)
        try #require(wasTakenOver)
        let records = try await late.records()
        #expect(records.count == 3 && records.values.allSatisfy { $0.last == .seconds(2) })
    }
}

/// The store of a journal that takes items over. It reads the pages of the table first, and waits before the first group.
private final class LateGroups: ForwardingSecretStore {
    let base: any SecretStore
    private let gate = Gate()
    private let hasWaited = Mutex(false)
    private let taking = Mutex<Task<[ActivityName: RunRecord], any Error>?>(nil)

    init(_ base: any SecretStore) {
        self.base = base
        gate.close()
    }

    /// Begins to take the items over, and returns when the journal waits.
    func takeOver(reading names: [String]) async {
        let task = Task {
            try await SecretStoreRunJournal(self).records(of: names.map { ActivityName($0) })
        }
        taking.withLock { $0 = task }
        await gate.waitForHeld(1)
    }

    /// Lets the journal go on, and returns the records that it has read.
    func records() async throws -> [ActivityName: RunRecord] {
        gate.open()
        return try await taking.withLock(\.self)?.value ?? [:]
    }

    func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        try await base.names(in: namespace).sorted(by: >)
    }

    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        let isFirst = hasWaited.withLock { hasWaited in
            guard name.name.hasPrefix("group-"), !hasWaited else { return false }
            hasWaited = true
            return true
        }
        if isFirst { _ = await gate.pass() }
        return try await base.read(name)
    }
}
