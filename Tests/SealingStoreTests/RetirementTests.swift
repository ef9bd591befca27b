import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@testable import SealingStore

@Suite("Retired value keys (F-1)", .timeLimit(.minutes(5)))
struct RetirementTests {
    private static func names(_ house: House) throws -> [SecretName] {
        try (0..<20).map { try SecretName("item \($0)", in: house.name.namespace) }
    }

    @Test("F-1: other clients still notice an older item after a restart", arguments: [true, false])
    func others(isAnchored: Bool) async throws {
        let house = try House()
        let anchor = MemoryAnchor()
        let first = try await house.client(anchor: isAnchored ? MemoryAnchor() : nil)
        let second = try await house.client(anchor: anchor)
        let names = try Self.names(house)
        for name in names {
            try await first.put("kept", at: name)
            #expect(try await second.text(at: name) == "kept")
        }
        for client in [first, second] { try await client.keepSeen() }
        try await first.rotateValueKey()
        try await second.refreshKeys()
        // Both values are under the new key. The second client keeps the number of this item only.
        try await first.put("old", at: house.name)
        let below = try await house.nameBelow(house.name)
        let old = try await house.below.read(below)
        try await first.put("new", at: house.name)
        #expect(try await second.text(at: house.name) == "new")
        try await second.keepSeen()
        #expect(try await first.retireValueKeys(resealing: [house.name.namespace]) == names.count)

        let restarted = try await house.client(anchor: anchor)
        #expect(try await restarted.text(at: house.name) == "new")
        try await house.put(old, at: below)
        #expect(await restarted.failure(at: house.name) == .rolledBack)
        // What it kept before the rotation is there, too.
        try await house.put(nil, at: try await house.nameBelow(names[0]))
        #expect(await restarted.failure(at: names[0]) == .rolledBack)
        #expect(try await restarted.text(at: names[1]) == "kept")
        try await restarted.keepSeen()
        #expect(try await house.client(anchor: anchor).text(at: names[1]) == "kept")
    }

    @Test("F-1: numbers that a client keeps while they are sealed again are not put back")
    func meanwhile() async throws {
        let house = try House()
        let (anchor, names) = (MemoryAnchor(), try Self.names(house))
        let (second, third) = (try await house.client(anchor: anchor), try await house.client())
        @Sendable func pass(_ value: String) async throws {
            for name in names {
                try await third.put(value, at: name)
                #expect(try await second.text(at: name) == value)
            }
            try await second.keepSeen()
        }
        try await pass("1")
        let hasPassed = Mutex(false)
        let space = try SeenLedger.space(second.names)
        let base = Interposed(base: house.below) { name in
            guard name.namespace == space else { return }
            let isFirst = hasPassed.withLock { hasPassed in
                defer { hasPassed = true }
                return !hasPassed
            }
            guard isFirst else { return }
            do { try await pass("2") } catch { Issue.record(error) }
        }
        let first = try await SealingStore.open(over: base, under: [house.key])
        try await first.rotateValueKey()
        for client in [second, third] { try await client.refreshKeys() }
        _ = try await first.retireValueKeys(resealing: [house.name.namespace])
        #expect(hasPassed.withLock { $0 })
        let restarted = try await house.client(anchor: anchor)
        for name in names { #expect(try await restarted.text(at: name) == "2") }
    }

    @Test("F-1: a planted item among the store's own ends the call, and no key is dropped")
    func foreign() async throws {
        let house = try House()
        let store = try await house.client(anchor: MemoryAnchor())
        try await store.put("one", at: house.name)
        let space = try SeenLedger.space(store.names)
        let item = try #require(try await house.below.read(try await house.nameBelow(house.name)))
        try await store.rotateValueKey()
        for text in ["root", "!.root", "AAAA.root", "a.b.c"] {
            let name = try SecretName(text, in: space)
            try await house.put(item, at: name)
            let error = await #expect(throws: SecretStoreError.self, "\(text)") {
                try await store.retireValueKeys(resealing: [])
            }
            #expect(error?.code.portable == .damaged)
            _ = try await house.below.remove(name)
        }
        for text in ["-1", "4096", "4294967296", "007", "+7", "one"] {
            let name = try SecretName(text, in: store.floorSpace)
            try await house.put(item, at: name)
            let error = await #expect(throws: SecretStoreError.self, "\(text)") {
                try await store.retireValueKeys(resealing: [])
            }
            #expect(error?.code.portable == .damaged)
            _ = try await house.below.remove(name)
        }
        // The item is under the old key, which is still there.
        #expect(try await house.client().text(at: house.name) == "one")
    }
}

/// A store that runs a step before each write.
private struct Interposed: ForwardingSecretStore {
    let base: any SecretStore
    let beforeWrite: @Sendable (SecretName) async -> Void

    func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        await beforeWrite(name)
        return try await base.write(value, to: name, accessibility: accessibility, if: precondition)
    }
}
