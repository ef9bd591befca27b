import Foundation
import PortcullisCore
import PortcullisTesting
import Testing

@testable import SealingStore

/// Another client's calls between two calls of one client.
@Suite("Clients between each other's steps (F-1)", .timeLimit(.minutes(2)))
struct InterleavingTests {
    @Test("F-1: a removal takes the mark of the item that it removes, and of no newer one")
    func removal() async throws {
        let house = try House()
        let steps = Steps()
        let between = Between(memory: house.below, steps: steps)
        let (one, other) = (
            try await SealingStore.open(over: between, under: [house.key], creating: true),
            try await house.client()
        )
        try await one.put("first", at: house.name)
        let version = try #require(try await other.read(house.name)).version
        let floors = one.floorSpace
        steps.next(.beforeRead(in: floors)) { _ = try await other.remove(house.name) }
        steps.next(.afterRead(in: floors)) { try await other.put("anew", at: house.name) }
        guard case .conflict = try await one.remove(house.name, if: .version(version)) else {
            Issue.record("another item was removed")
            return
        }
        #expect(steps.isEmpty)
        let fresh = try await house.client()
        for client in [other, fresh] { #expect(try await client.text(at: house.name) == "anew") }
        // The item has its mark: taken away below, it is missed.
        try await house.put(nil, at: try await house.nameBelow(house.name))
        #expect(await other.failure(at: house.name) == .rolledBack)
        #expect(await fresh.failure(at: house.name) == .rolledBack)
    }

    @Test("F-1: a read of the keys that ends after a later one is no sign of an old store")
    func keysRead() async throws {
        let house = try House()
        let steps = Steps()
        let one = try await SealingStore.open(
            over: Between(memory: house.below, steps: steps),
            under: [house.key],
            creating: true
        )
        let other = try await house.client()
        let keys = Keyring.itemName.namespace
        steps.next(.afterRead(in: keys)) {
            try await other.rotateValueKey()
            try await one.refreshKeys()
        }
        try await one.refreshKeys()
        #expect(steps.isEmpty)
        #expect(one.keyring.generation == other.keyring.generation)
    }

    @Test("F-1: a change of the keys that another client changed meanwhile has been made")
    func keysChanged() async throws {
        let house = try House()
        let steps = Steps()
        let one = try await SealingStore.open(
            over: Between(memory: house.below, steps: steps),
            under: [house.key],
            creating: true
        )
        let other = try await house.client()
        let keys = Keyring.itemName.namespace
        let before = one.keyring.generation
        steps.next(.afterWrite(in: keys)) {
            try await other.rotateValueKey()
            try await one.refreshKeys()
        }
        try await one.rotateValueKey()
        #expect(steps.isEmpty)
        #expect(one.keyring.generation == before + 2)
        // Keys that are older are still refused.
        let old = try #require(try await house.below.read(Keyring.itemName))
        try await one.rotateValueKey()
        try await house.put(old, at: Keyring.itemName)
        let error = await #expect(throws: SecretStoreError.self) { try await one.refreshKeys() }
        #expect(error?.code == .rolledBack)
    }

    /// Holds a write of the first client up at a point, while the keys are rotated, refreshed and retired.
    private func retire<Base>(
        _ house: House,
        refreshing one: SealingStore<Base>,
        _ steps: Steps,
        during point: Steps.Point,
        of write: @escaping @Sendable () async throws -> Void
    ) async throws {
        let other = try await house.client()
        let (held, hold) = AsyncStream.makeStream(of: Void.self)
        let (freed, free) = AsyncStream.makeStream(of: Void.self)
        steps.next(point) {
            hold.yield()
            for await _ in freed { break }
        }
        let writing = Task { try await write() }
        for await _ in held { break }
        try await other.rotateValueKey()
        let retiring = Task {
            try await one.refreshKeys()
            _ = try await other.retireValueKeys(resealing: [house.name.namespace])
        }
        // A refresh that waits for no write ends meanwhile, and so does the retirement.
        for _ in 0..<10_000 { await Task.yield() }
        free.yield()
        try await writing.value
        try await retiring.value
        #expect(steps.isEmpty)
    }

    @Test("F-1: an item that was being made while the keys were refreshed outlasts the key that sealed it")
    func retiredWhileMaking() async throws {
        let house = try House()
        let steps = Steps()
        let one = try await SealingStore.open(
            over: Between(memory: house.below, steps: steps),
            under: [house.key],
            creating: true
        )
        try await retire(house, refreshing: one, steps, during: .beforeCommit) {
            try await one.put("value", at: house.name)
        }
        #expect(try await house.client().text(at: house.name) == "value")
        try await retire(house, refreshing: one, steps, during: .beforeCommit) {
            _ = try await one.commit([
                .write(
                    SecretBytes(copying: "other".utf8),
                    to: house.other,
                    accessibility: .afterFirstUnlock,
                    if: .absent
                )
            ])
        }
        #expect(try await house.client().text(at: house.other) == "other")
    }

    @Test("F-1: a refresh of the keys waits for a write that fails, and then ends")
    func retiredWhileFailing() async throws {
        let house = try House()
        let steps = Steps()
        let base = FailingSecretStore(Between(memory: house.below, steps: steps))
        let one = try await SealingStore.open(over: base, under: [house.key], creating: true)
        base.failNextAfterEffect(.commit, with: SecretStoreError(code: .outcomeUnknown, message: "lost"))
        try await retire(house, refreshing: one, steps, during: .beforeCommit) {
            let error = await #expect(throws: SecretStoreError.self) {
                try await one.put("value", at: house.name)
            }
            #expect(error?.code == .outcomeUnknown)
        }
        #expect(try await house.client().text(at: house.name) == "value")
    }

    @Test("F-1: an item that was being made without batches outlasts the key that sealed it, too")
    func retiredWhileMakingPlainly() async throws {
        let house = try House()
        let steps = Steps()
        let one = try await SealingStore.open(
            over: PlainStore(base: Between(memory: house.below, steps: steps)),
            under: [house.key],
            creating: true
        )
        let items = try one.names.space(house.name.namespace)
        try await retire(house, refreshing: one, steps, during: .beforeWrite(in: items)) {
            try await one.put("value", at: house.name)
        }
        #expect(try await house.client().text(at: house.name) == "value")
    }

    @Test("F-1: numbers that were being kept while the keys were refreshed outlast the key that sealed them")
    func retiredWhileKeeping() async throws {
        let house = try House()
        let steps = Steps()
        let anchor = MemoryAnchor()
        let one = try await SealingStore.open(
            over: Between(memory: house.below, steps: steps),
            under: [house.key],
            creating: true,
            anchor: anchor
        )
        try await one.put("value", at: house.name)
        let pages = try SeenLedger.space(one.names)
        try await retire(house, refreshing: one, steps, during: .beforeWrite(in: pages)) {
            try await one.keepSeen()
        }
        #expect(try await house.client(anchor: anchor).text(at: house.name) == "value")
    }

    @Test("F-1: numbers that were kept under a newer key are not sealed again under an older one")
    func rotatedWhileRetiring() async throws {
        let house = try House()
        let steps = Steps()
        let one = try await SealingStore.open(
            over: Between(memory: house.below, steps: steps),
            under: [house.key],
            creating: true
        )
        let other = try await house.client(anchor: MemoryAnchor())
        try await other.keepSeen()
        try await one.rotateValueKey()
        let numbers = try SeenLedger.space(one.names)
        steps.next(.beforeRead(in: numbers)) {
            try await other.rotateValueKey()
            try await other.keepSeen()
        }
        let error = await #expect(throws: SecretStoreError.self) {
            try await one.retireValueKeys(resealing: [])
        }
        #expect(error?.code == .alreadyExists)
        #expect(steps.isEmpty)
        let names = try await house.below.names(in: numbers)
        #expect(names.count == 1)
        for name in names {
            let stored = try #require(try await house.below.read(name))
            #expect(try Envelope(stored.value).key == other.keyring.sealing.id)
        }
    }

    @Test("F-1: a key file that was just made stays if another process has made the keys with it")
    func keyFileInUse() async throws {
        let (house, steps, anchor) = (try House(), Steps(), MemoryAnchor())
        let path = FileManager.default.temporaryDirectory.appending(path: "key-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = SealingKeyFile(path: path)
        // After the file was made, the other process uses file and anchor. Its numbers are then taken away.
        steps.next(.beforeRead(in: Keyring.itemName.namespace)) {
            let key = try #require(try file.read())
            let other = try await house.client(under: [key], anchor: anchor)
            try await other.keepSeen()
            let numbers = try SeenLedger.space(other.names)
            for name in try await house.below.names(in: numbers) { try await house.put(nil, at: name) }
        }
        let error = await #expect(throws: SecretStoreError.self) {
            _ = try await SealingStore.open(
                over: Between(memory: house.below, steps: steps),
                keyIn: file,
                anchor: anchor,
                isEmpty: { () async throws(SecretStoreError) in true }
            )
        }
        #expect(error?.code == .rolledBack)
        #expect(steps.isEmpty)
        let key = try #require(try file.read())
        _ = try await SealingStore.open(over: house.below, under: [key])
    }
}
