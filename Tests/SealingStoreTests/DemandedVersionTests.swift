import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@testable import SealingStore

/// Who answers below tells which version an item has, and which changes were made.
@Suite("A demanded version is that of a value that was seen (F-1)", .timeLimit(.minutes(2)))
struct DemandedVersionTests {
    /// The changes that can demand a version.
    enum Change: CaseIterable { case write, remove, writeInBatch, removeInBatch }

    private let house: House
    private let below: SecretName

    init() async throws {
        house = try House()
        below = try await house.nameBelow(house.name)
    }

    /// Makes a change, and returns whether it was made.
    private func make(
        _ change: Change,
        _ text: String = "1 failure",
        if condition: WritePrecondition,
        in store: some TransactionalSecretStore
    ) async throws(SecretStoreError) -> Bool {
        let name = house.name
        let value = SecretBytes(copying: text.utf8)
        let outcome: CommitOutcome
        switch change {
        case .write:
            let written = try await store.write(
                value,
                to: name,
                accessibility: .afterFirstUnlock,
                if: condition
            )
            if case .written = written { return true }
            return false
        case .remove: return try await store.remove(name, if: condition) == .removed
        case .writeInBatch:
            outcome = try await store.commit([
                .write(value, to: name, accessibility: .afterFirstUnlock, if: condition)
            ])
        case .removeInBatch: outcome = try await store.commit([.remove(name, if: condition)])
        }
        if case .committed = outcome { return true }
        return false
    }

    private func code(
        of change: Change,
        if condition: WritePrecondition,
        in store: some TransactionalSecretStore
    ) async -> SecretStoreErrorCode? {
        do throws(SecretStoreError) {
            _ = try await make(change, if: condition, in: store)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(
        "F-1: a change that demands the version of an older value that was put back is refused",
        arguments: Change.allCases
    )
    func older(_ change: Change) async throws {
        let base = Rewinding(memory: house.below)
        let store = try await SealingStore.open(over: base, under: [house.key], creating: true)
        try await store.put("0 failures", at: house.name)
        let held = try #require(try await store.read(house.name)).version
        let old = try #require(try await house.below.read(below))
        try await store.put("5 failures", at: house.name)
        let new = try #require(try await house.below.read(below))
        // An honest store has a newer version, and says so.
        #expect(try await !make(change, if: .version(held), in: store))
        // The older value; the newer one under the older version; and bytes that nothing was sealed in.
        for (value, expected) in [
            (old.value, .rolledBack), (new.value, .rolledBack), (SecretBytes(copying: [1, 2]), .damaged),
        ] as [(SecretBytes, SecretStoreErrorCode)] {
            base.show(value, as: old, at: below)
            #expect(await code(of: change, if: .version(held), in: store) == expected)
            base.show(nil, at: below)
            #expect(try await store.text(at: house.name) == "5 failures")
        }
        // A read of the newer value under the older version does not make that version hold.
        base.show(new.value, as: old, at: below)
        #expect(try await store.text(at: house.name) == "5 failures")
        #expect(await code(of: change, if: .version(held), in: store) == .rolledBack)
        // Without a demand the older value is written over, and removed, as before.
        base.show(old, at: below)
        #expect(try await make(change, if: .none, in: store))
    }

    @Test("F-1: a newer value under the version of the one that was seen last is rolled back")
    func sameVersion() async throws {
        let base = Rewinding(memory: house.below)
        let store = try await SealingStore.open(over: base, under: [house.key], creating: true)
        try await store.put("0 failures", at: house.name)
        let old = try #require(try await house.below.read(below))
        try await house.client().put("5 failures", at: house.name)
        let new = try #require(try await house.below.read(below))
        base.show(new.value, as: old, at: below)
        #expect(await store.failure(at: house.name) == .rolledBack)
        base.show(nil, at: below)
        #expect(try await store.text(at: house.name) == "5 failures")
    }

    @Test("F-1: a change that demands the version of a removed item is refused", arguments: Change.allCases)
    func removed(_ change: Change) async throws {
        let base = Rewinding(memory: house.below)
        let store = try await SealingStore.open(over: base, under: [house.key], creating: true)
        try await store.put("value", at: house.name)
        let held = try #require(try await store.read(house.name)).version
        let old = try #require(try await house.below.read(below))
        #expect(try await store.remove(house.name) == .removed)
        base.show(old, at: below)
        #expect(await code(of: change, if: .version(held), in: store) == .rolledBack)
        // Another client has not seen the removal, and has written over the item that was put back.
        base.show(nil, at: below)
        try await house.put(old, at: below)
        let other = try await house.client()
        let returned = try #require(try await other.read(house.name)).version
        #expect(try await make(.write, if: .version(returned), in: other))
        let written = try #require(try await other.read(house.name)).version
        #expect(await code(of: change, if: .version(written), in: store) == .rolledBack)
        // Made anew it is changed like any other.
        #expect(try await store.remove(house.name) == .removed)
        try await house.client().put("anew", at: house.name)
        let anew = try #require(try await house.below.read(below)).version
        #expect(try await make(change, if: .version(anew), in: store))
    }

    @Test(
        "F-1: of two writes that are acknowledged as one the second is refused",
        arguments: [Change.write, .writeInBatch]
    )
    func acknowledgedTwice(_ change: Change) async throws {
        let steps = Steps()
        let base = Agreeing(between: Between(memory: house.below, steps: steps))
        let store = try await SealingStore.open(over: base, under: [house.key], creating: true)
        // Each of two tries writes the first use of a code, and each of two tries counts a failure.
        for isThere in [false, true] {
            let held = try await store.read(house.name)?.version
            #expect((held != nil) == isThere)
            let condition: WritePrecondition = held.map { .version($0) } ?? .absent
            let items = try store.names.space(house.name.namespace)
            steps.next(isThere && change == .write ? .beforeWrite(in: items) : .beforeCommit) {
                let isMade = try? await make(change, "first", if: condition, in: store)
                #expect(isMade == true)
            }
            #expect(await code(of: change, if: condition, in: store) == .rolledBack)
            #expect(steps.isEmpty)
            // What is there is the second one.
            #expect(await store.failure(at: house.name) == .rolledBack)
            try await store.put("anew", at: house.name)
            #expect(try await store.text(at: house.name) == "anew")
            #expect(try await house.client().text(at: house.name) == "anew")
        }
    }

    @Test("F-1: a value in the place of another one with its number is rolled back")
    func sameNumber() async throws {
        let (one, other, reader) = (
            try await house.client(), try await house.client(), try await house.client()
        )
        try await one.put("first", at: house.name)
        let first = try await house.below.read(below)
        try await other.put("other", at: house.name)
        let second = try await house.below.read(below)
        try await house.put(first, at: below)
        try await one.put("one", at: house.name)
        #expect(try await reader.text(at: house.name) == "one")
        try await house.put(second, at: below)
        for client in [one, reader] {
            #expect(await client.failure(at: house.name) == .rolledBack)
            let error = await #expect(throws: SecretStoreError.self) {
                _ = try await client.read([house.name])
            }
            #expect(error?.code == .rolledBack)
        }
        try await one.put("anew", at: house.name)
        for client in [one, other, reader] { #expect(try await client.text(at: house.name) == "anew") }
    }

    /// Bytes that stand for a sealed value with this fingerprint.
    private static func sealed(_ fingerprint: UInt8) -> SecretBytes {
        SecretBytes(copying: [0, 0, 0, 0, 0, 0, 0, fingerprint])
    }

    @Test("F-1: another value with a number or a version that was seen is refused, and changes nothing")
    func otherValue() throws {
        let seen = SeenNumbers(limit: 10)
        let (one, two) = (NameTag(first: 1, second: 1), NameTag(first: 2, second: 2))
        try seen.note(one, Self.sealed(7), number: 5, version: SecretVersion(50))
        for version in [SecretVersion(51), nil] {
            #expect(throws: SecretStoreError.self) {
                try seen.note(one, Self.sealed(8), number: 5, version: version)
            }
        }
        for number in [4, 6] as [UInt64] {
            #expect(throws: SecretStoreError.self) {
                try seen.note(one, Self.sealed(8), number: number, version: SecretVersion(50))
            }
        }
        #expect(seen[one]?.number == 5 && seen[one]?.version == 50 && seen[one]?.fingerprint == 7)
        // The same value is accepted under another version, which holds for no change.
        try seen.note(one, Self.sealed(7), number: 5, version: SecretVersion(51))
        #expect(seen[one]?.version == 50)
        // A number that an anchor kept tells of no value.
        seen.note(two, .init(number: 5, version: 0, isThere: true))
        try seen.note(two, Self.sealed(8), number: 5, version: SecretVersion(52))
        #expect(seen[two]?.fingerprint == 8)
        try seen.note(one, Self.sealed(9), number: 6, version: SecretVersion(53))
        #expect(seen[one]?.number == 6)
    }
}

/// Shows an item as it was, with its version of that time, and makes changes under that version.
private final class Rewinding: ForwardingSecretStore, TransactionalSecretStore {
    let memory: InMemorySecretStore
    private let shown = Mutex<[SecretName: StoredSecret]>([:])

    var base: any SecretStore { memory }

    init(memory: InMemorySecretStore) { self.memory = memory }

    func show(_ item: StoredSecret?, at name: SecretName) { shown.withLock { $0[name] = item } }

    /// Shows a value with the version and the class of another one.
    func show(_ value: SecretBytes, as item: StoredSecret, at name: SecretName) {
        show(StoredSecret(value: value, version: item.version, accessibility: item.accessibility), at: name)
    }

    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        if let item = shown.withLock({ $0[name] }) { return item }
        return try await memory.read(name)
    }

    func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        let change = SecretChange.write(value, to: name, accessibility: accessibility, if: precondition)
        switch try await commit([change]) {
        case .committed(let versions):
            guard let version = versions.first ?? nil else {
                throw SecretStoreError(code: .unavailable, message: "a write has a version")
            }
            return .written(version)
        case .conflict(let current): return .conflict(current: current[name] ?? nil)
        }
    }

    func commit(_ changes: [SecretChange]) async throws(SecretStoreError) -> CommitOutcome {
        let items = shown.withLock { $0 }
        let below = changes.map { change -> SecretChange in
            guard let item = items[change.name], change.precondition == .version(item.version) else {
                return change
            }
            return change.unconditional
        }
        let outcome = try await memory.commit(below)
        if case .committed = outcome { shown.withLock { $0 = [:] } }
        return outcome
    }
}

/// Makes and acknowledges every change, whatever it demands.
private struct Agreeing: ForwardingSecretStore, TransactionalSecretStore {
    let between: Between
    var base: any SecretStore { between }

    func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        try await between.write(value, to: name, accessibility: accessibility, if: .none)
    }

    func commit(_ changes: [SecretChange]) async throws(SecretStoreError) -> CommitOutcome {
        try await between.commit(changes.map(\.unconditional))
    }
}

extension SecretChange {
    /// The same change, which demands nothing.
    fileprivate var unconditional: SecretChange {
        switch self {
        case .write(let value, let name, let accessibility, _):
            .write(value, to: name, accessibility: accessibility, if: .none)
        case .remove(let name, _): .remove(name, if: .none)
        }
    }
}
