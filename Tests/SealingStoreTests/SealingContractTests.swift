import PortcullisCore
import PortcullisTesting
import SealingStore
import Synchronization
import Testing

@Suite("SealingStore keeps the contract of a store (F-1)", .timeLimit(.minutes(5)))
struct SealingContractTests {
    /// Places in memory, whose items a test can reach below.
    private func subject(
        _ wrap: @escaping @Sendable (InMemorySecretStore) -> any SecretStore = { $0 }
    ) -> SecretStoreSubject {
        SecretStoreSubject(places: {
            let house = try House()
            return SecretStoreSubject.Place(
                damage: { house.storage.damage(try await house.nameBelow($0)) },
                open: {
                    try await sealed(wrap(house.below), house.key)
                }
            )
        })
    }

    @Test("F-1: over a store with batches", arguments: SecretStoreContract.allCases)
    func batches(_ clause: SecretStoreContract) async throws {
        let result = try await clause.check(subject())
        let others: Set<SecretStoreContract> = [.silentStreamsEnd, .lockedClass, .waitsOffThePool]
        #expect((result == .kept) != others.contains(clause), "\(result)")
    }

    @Test("F-1: over a store without batches", arguments: SecretStoreContract.allCases)
    func plain(_ clause: SecretStoreContract) async throws {
        let result = try await clause.check(subject { PlainStore(base: $0) })
        let others: Set<SecretStoreContract> = [
            .silentStreamsEnd, .lockedClass, .waitsOffThePool, .batchCommits, .batchAllOrNothing,
            .batchIsOneStep, .batchRefusesDuplicates, .readsOneMoment,
        ]
        #expect((result == .kept) != others.contains(clause), "\(result)")
    }

    @Test("F-1: of items that are read together, too, an older value and a missing one are rolled back")
    func together() async throws {
        let house = try House()
        let client = try await house.client()
        func put(_ byte: UInt8, at name: SecretName) async throws {
            let value = SecretBytes(copying: [byte])
            _ = try await client.write(value, to: name, accessibility: .afterFirstUnlock)
        }
        try await put(1, at: house.name)
        try await put(2, at: house.other)
        let place = try await house.nameBelow(house.name)
        let old = try await house.below.read(place)
        try await put(3, at: house.name)
        let names = [house.other, house.name]
        let found = try await client.read(names).map { $0?.value.matches(SecretBytes(copying: [3])) }
        #expect(found == [false, true])
        for item in [old, nil] {
            try await house.put(item, at: place)
            let error = await #expect(throws: SecretStoreError.self) { _ = try await client.read(names) }
            #expect(error?.code == .rolledBack)
        }
    }

    @Test(
        "F-1: an item that the store below cannot read is written over, and removed, without a demand",
        arguments: [true, false]
    )
    func unreadableBelow(tellsVersion: Bool) async throws {
        let house = try House()
        let below = FailingSecretStore(house.below)
        let store = try await SealingStore.open(over: below, under: [house.key], creating: true)
        let reader = try await house.client()
        let damaged = SecretStoreError(code: .damaged, message: "the sum is another")
        func damage() async throws {
            house.storage.damage(try await house.nameBelow(house.name))
            #expect(await store.failure(at: house.name) == .damaged)
            if !tellsVersion { below.failNext(.remove, with: damaged) }
        }
        try await store.put("old", at: house.name)
        #expect(try await reader.text(at: house.name) == "old")
        try await damage()
        try await store.put("new", at: house.name)
        #expect(try await reader.text(at: house.name) == "new")
        try await damage()
        #expect(try await store.remove(house.name) == .removed)
        #expect(try await reader.text(at: house.name) == nil)
        try await store.put("anew", at: house.name)
        #expect(try await reader.text(at: house.name) == "anew")
    }

    @Test("F-1: over an item that the store below cannot read, no write of another client is lost unseen")
    func unreadableMeanwhile() async throws {
        let house = try House()
        let steps = Steps()
        let store = try await SealingStore.open(
            over: Between(memory: house.below, steps: steps),
            under: [house.key],
            creating: true
        )
        let reader = try await house.client()
        try await store.put("old", at: house.name)
        #expect(try await reader.text(at: house.name) == "old")
        let place = try await house.nameBelow(house.name)
        house.storage.damage(place)
        steps.next(.beforeWrite(in: place.namespace)) {
            try await reader.put("theirs", at: house.name)
            #expect(try await reader.text(at: house.name) == "theirs")
        }
        try await store.put("mine", at: house.name)
        #expect(steps.isEmpty)
        // A write that demanded nothing below would have a lower number than theirs: `rolledBack`.
        #expect(try await reader.text(at: house.name) == "mine")
    }

    @Test("F-1: where the store below fails to tell the version of a damaged item, nothing is changed")
    func unreadableUnreachable() async throws {
        let house = try House()
        let below = FailingSecretStore(house.below)
        let store = try await SealingStore.open(over: below, under: [house.key], creating: true)
        try await store.put("old", at: house.name)
        house.storage.damage(try await house.nameBelow(house.name))
        below.failNext(.remove, with: SecretStoreError(code: .unreachable, message: "no answer"))
        let error = await #expect(throws: SecretStoreError.self) {
            try await store.put("new", at: house.name)
        }
        #expect(error?.code == .unreachable)
        #expect(await store.failure(at: house.name) == .damaged)
    }

    @Test("F-1: an item that the store below calls damaged, and then absent, is written over, and removed")
    func contradictedBelow() async throws {
        let house = try House()
        let below = Contradicting(house.below)
        let store = try await SealingStore.open(over: below, under: [house.key], creating: true)
        try await store.put("old", at: house.name)
        let place = try await house.nameBelow(house.name)
        house.storage.damage(place)
        try await store.put("new", at: house.name)
        #expect(try await store.text(at: house.name) == "new")
        #expect(below.denials.withLock { $0 } == 1)
        house.storage.damage(place)
        #expect(try await store.remove(house.name) == .removed)
        #expect(below.denials.withLock { $0 } == 2)
    }

    @Test("F-1: a class that is locked below is locked above, and its items stay listed")
    func locked() async throws {
        let house = try House()
        let (base, key) = (house.below, house.key)
        let store = try await SealingStore.open(over: base, under: [key], creating: true)
        _ = try await store.write(
            SecretBytes(copying: [1]),
            to: house.name,
            accessibility: .whenUnlocked
        )
        base.lock()
        #expect(await store.failure(at: house.name) == .classLocked)
        #expect(try await store.names(in: house.name.namespace) == [house.name])
        base.unlock()
        #expect(try await store.read(house.name)?.accessibility == .whenUnlocked)
    }
}

/// A sealing store over a store whose type says whether it has batches.
private func sealed(_ base: any SecretStore, _ key: SecretBytes) async throws -> any SecretStore {
    if let base = base as? any TransactionalSecretStore { return try await opened(base, key) }
    return try await opened(base, key)
}

private func opened(_ base: some SecretStore, _ key: SecretBytes) async throws -> any SecretStore {
    try await SealingStore.open(over: base, under: [key], creating: true)
}

/// A store that contradicts itself: it calls an item absent where a removal demands this.
private final class Contradicting: ForwardingSecretStore {
    let base: any SecretStore
    /// How often it has denied an item. After the fifth time it tells the truth, so that every test ends.
    let denials = Mutex(0)

    init(_ base: some SecretStore) { self.base = base }

    func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome {
        let outcome = try await base.remove(name, if: precondition)
        guard precondition == .absent, case .conflict = outcome else { return outcome }
        let count = denials.withLock { denials in
            denials += 1
            return denials
        }
        return count > 5 ? outcome : .absent
    }
}
