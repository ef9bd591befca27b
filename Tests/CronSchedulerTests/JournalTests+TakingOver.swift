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

extension JournalTests {
    @Test("S-4: of two journals that take the items over at once, the later one keeps them")
    func takenOverAtOnce() async throws {
        let base = InMemorySecretStore(InMemorySecretStore.Storage())
        let late = SecretStoreRunJournal(base)
        // The early journal has signed the items, and has not read them.
        let store = HookedStore(base, after: { $0.name == "owner" }) { _ = try? await late.records(of: []) }
        let early = SecretStoreRunJournal(store)
        let error = await #expect(throws: RunJournalError.self) { _ = try await early.records(of: []) }
        #expect(error?.code == .otherWriter)
        try await late.record([.of("job", 1)])
        #expect(try await late.records(of: ["job"])["job"]?.last == .seconds(1))
    }

    @Test("S-4: a journal that reads the items anew after a failure does not take them back")
    func takenOverAfterFailure() async throws {
        let failing = FailingSecretStore(InMemorySecretStore(InMemorySecretStore.Storage()))
        let late = SecretStoreRunJournal(failing)
        let store = HookedStore(failing, before: { $0 > 2 }) { _ = try? await late.records(of: []) }
        let early = SecretStoreRunJournal(store)
        try await early.record([.of("job", 1)])
        failing.failNext(.write, with: SecretStoreError(code: .diskFull, message: "no space is left"))
        await #expect(throws: RunJournalError.self) { try await early.record([.of("job", 2)]) }
        let error = await #expect(throws: RunJournalError.self) { try await early.record([.of("job", 3)]) }
        #expect(error?.code == .otherWriter && store.isOver)
        try await late.record([.of("job", 4)])
        #expect(try await late.records(of: ["job"])["job"]?.last == .seconds(4))
    }

    @Test("S-4: a journal that has merged into an empty table writes no group after a later one took over")
    func takenOverAfterEmptyTable() async throws {
        let base = InMemorySecretStore(InMemorySecretStore.Storage())
        let late = SecretStoreRunJournal(base)
        let isArmed = Mutex(false)
        let store = HookedStore(
            base,
            beforeWrite: { $0.name.hasPrefix("group-") && isArmed.withLock(\.self) }
        ) { _ = try? await late.records(of: []) }
        let early = SecretStoreRunJournal(store)
        // Each second record is a removal, and the table is empty after it. Names of two lengths, because a
        // merge may come after an addition each time.
        var isEmpty = false
        for length in [900, 901] where !isEmpty {
            let job = String(repeating: "x", count: length)
            for number in 0..<400 where !isEmpty {
                try await early.record([.of(job, number)])
                try await early.record([JournalEntry(job: ActivityName(job), record: nil)])
                let items = try await base.names(in: .library("schedule"))
                isEmpty = items.count { $0.name.hasPrefix("group-") } == 1
            }
        }
        try #require(isEmpty)
        isArmed.withLock { $0 = true }
        // The late journal signs and claims between the check of the owner and the write of this group.
        let error = await #expect(throws: RunJournalError.self) { try await early.record([.of("job", 9)]) }
        #expect(error?.code == .otherWriter && store.isOver)
        try await late.record([.of("job", 10)])
        let reopened = SecretStoreRunJournal(base)
        #expect(try await reopened.records(of: ["job"])["job"]?.last == .seconds(10))
    }
}

/// A store that does something else once: before or after the write of an item, or before a listing.
private final class HookedStore: ForwardingSecretStore {
    let base: any SecretStore
    private let isBeforeWrite: @Sendable (SecretName) -> Bool
    private let isAfter: @Sendable (SecretName) -> Bool
    private let isBefore: @Sendable (Int) -> Bool
    private let body: @Sendable () async -> Void
    private let state = Mutex((isOver: false, listings: 0))

    /// - Parameters:
    ///   - isBeforeWrite: whether it is done before the write of this item.
    ///   - isAfter: whether it is done after the write of this item.
    ///   - isBefore: whether it is done before the listing of this number, counted from 1.
    init(
        _ base: any SecretStore,
        beforeWrite isBeforeWrite: @escaping @Sendable (SecretName) -> Bool = { _ in false },
        after isAfter: @escaping @Sendable (SecretName) -> Bool = { _ in false },
        before isBefore: @escaping @Sendable (Int) -> Bool = { _ in false },
        _ body: @escaping @Sendable () async -> Void
    ) {
        (self.base, self.isBeforeWrite, self.isAfter) = (base, isBeforeWrite, isAfter)
        (self.isBefore, self.body) = (isBefore, body)
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    private func doOnce() async {
        let isFirst = state.withLock { state in
            defer { state.isOver = true }
            return !state.isOver
        }
        if isFirst { await body() }
    }

    func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        let number = state.withLock { state in
            state.listings += 1
            return state.listings
        }
        if isBefore(number) { await doOnce() }
        return try await base.names(in: namespace)
    }

    func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        if isBeforeWrite(name) { await doOnce() }
        let outcome = try await base.write(value, to: name, accessibility: accessibility, if: precondition)
        if isAfter(name) { await doOnce() }
        return outcome
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
