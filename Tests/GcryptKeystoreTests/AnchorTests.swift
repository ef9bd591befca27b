import Foundation
import GcryptKeystore
import PortcullisCore
import Synchronization
import Testing

/// A witness that lives in memory, and fails when it is told to.
private final class MemoryAnchor: RollbackAnchor {
    struct State {
        var record: [UInt8]?
        var turns: [UInt64] = []
        var reasons: [AnchorReason] = []
        var failure: SecretStoreError?
    }

    let state = Mutex(State())
    let place = "memory"

    func records() throws(SecretStoreError) -> [UInt8]? {
        try state.withLock { (state) throws(SecretStoreError) in
            if let failure = state.failure { throw failure }
            return state.record
        }
    }

    func keep(_ record: [UInt8], turn: UInt64, for reason: AnchorReason) throws(SecretStoreError) {
        try state.withLock { (state) throws(SecretStoreError) in
            if let failure = state.failure { throw failure }
            state.record = record
            state.turns.append(turn)
            state.reasons.append(reason)
        }
    }

    func fail(_ code: SecretStoreError.Code?) {
        state.withLock {
            $0.failure = code.map { SecretStoreError(code: $0, message: "told to", path: "memory") }
        }
    }
}

@Suite("A rollback anchor of another kind than a file", .timeLimit(.minutes(10)))
struct AnchorTests {
    private func open(_ disk: SimulatedDisk, _ anchor: MemoryAnchor, file: Bool = false) async throws
        -> GcryptKeystore
    {
        var configuration = Setup.configuration(anchored: file)
        configuration.anchor = anchor
        return try await GcryptKeystore.open(configuration, files: disk)
    }

    @Test("K-6: an older store, another one and none are rolledBack; the one that was witnessed opens")
    func rollback() async throws {
        let (disk, anchor) = (SimulatedDisk(), MemoryAnchor())
        let store = try await open(disk, anchor)
        try await store.put("1", "item")
        let old = disk.image
        try await store.put("2", "item")
        #expect(store.lastAnchorFailure == nil)
        await store.close()
        let now = disk.image
        let turns = anchor.state.withLock { $0.turns }
        #expect(turns == Array(1...3))
        let record = try #require(anchor.state.withLock { $0.record })
        #expect(record.count == 128)

        #expect(await code { try await open(SimulatedDisk(old), anchor) } == .rolledBack)
        let another = SimulatedDisk()
        await (try await Setup.open(another)).close()
        #expect(await code { try await open(another, anchor) } == .rolledBack)
        let empty = SimulatedDisk()
        #expect(await code { try await open(empty, anchor) } == .rolledBack)
        #expect(empty.image[Setup.path] == nil)
        #expect(try await open(SimulatedDisk(now), anchor).get("item") == "2")
    }

    @Test("H-4: the anchor is told what was changed")
    func reasons() async throws {
        let (disk, anchor) = (SimulatedDisk(), MemoryAnchor())
        let store = try await open(disk, anchor)
        func told() -> [AnchorReason] {
            anchor.state.withLock { state in
                defer { state.reasons = [] }
                return state.reasons
            }
        }
        #expect(told() == [.setUp])
        try await store.put("1", "item")
        #expect(told() == [.other])
        let own = try SecretName("ada", in: SecretNamespace("portcullis.passcode"))
        let item = try SecretName("a", in: SecretNamespace("app"))
        _ = try await store.write(secret("r"), to: own, accessibility: .afterFirstUnlock)
        #expect(told() == [.libraryItems])
        _ = try await store.commit([
            .write(secret("2"), to: item, accessibility: .afterFirstUnlock, if: .none),
            .remove(own, if: .none),
        ])
        #expect(told() == [.libraryItems], "one of several is enough")
        let slot = try await store.addSlot(.rawKey(SecretBytes(randomCount: 32)))
        #expect(told() == [.slots])
        try await store.removeSlot(slot.id)
        #expect(told() == [.slots])
        try await store.seal(under: SecretBytes(randomCount: 32))
        #expect(told() == [.seal])
        try await store.compact()
        #expect(told() == [.other])
        try await store.unseal()
        #expect(told() == [.seal])
        // One that could not be kept is told with the next change.
        anchor.fail(.systemFailure)
        _ = try await store.write(secret("s"), to: own, accessibility: .afterFirstUnlock)
        anchor.fail(nil)
        #expect(told() == [])
        try await store.put("3", "item")
        #expect(told() == [.libraryItems])
        try await store.put("4", "item")
        #expect(told() == [.other])
    }

    /// What check and salvage say; neither changes the anchor.
    private func survey(_ image: DiskImage, _ anchor: MemoryAnchor) async throws -> [SecretStoreError.Code?] {
        let disk = SimulatedDisk(image)
        var configuration = Setup.configuration()
        configuration.anchor = anchor
        let before = anchor.state.withLock { $0.record }
        let found = [
            await code { [configuration] in try await GcryptKeystore.check(configuration, files: disk) },
            await code { [configuration] in
                try await GcryptKeystore.salvage(configuration, to: Setup.rescued, files: disk)
            },
        ]
        #expect(anchor.state.withLock { $0.record } == before)
        #expect((disk.image[Setup.rescued] == nil) == (found[1] != nil))
        return found
    }

    @Test("K-6: check and salvage tell an older store, another one and none, damaged or not")
    func surveys() async throws {
        let (disk, anchor) = (SimulatedDisk(), MemoryAnchor())
        let store = try await open(disk, anchor)
        try await store.put("1", "item")
        let old = disk.image
        try await store.put("2", "item")
        let now = disk.image
        #expect(try await survey(now, anchor) == [nil, nil])
        #expect(try await survey(old, anchor) == [.rolledBack, .rolledBack])
        let another = SimulatedDisk()
        await (try await Setup.open(another)).close()
        #expect(try await survey(another.image, anchor) == [.rolledBack, .rolledBack])
        #expect(try await survey(DiskImage(), anchor) == [.rolledBack, .rolledBack])
        #expect(try await survey(DiskImage(), MemoryAnchor()) == [.missingStore, .missingStore])
        #expect(try await survey(old, MemoryAnchor()) == [nil, nil])

        // Damage in the middle is told by the report; what the whole end proves to be older is refused all the same.
        func damaged(_ image: DiskImage) throws -> DiskImage {
            var image = image
            var bytes = try #require(image[Setup.path])
            bytes[8192 + 70] ^= 1
            image[Setup.path] = bytes
            return image
        }
        #expect(try await survey(damaged(now), anchor) == [nil, nil])
        #expect(try await survey(damaged(old), anchor) == [.rolledBack, .rolledBack])
        // The witness is somewhat behind, and its frame lies behind the damage.
        anchor.fail(.systemFailure)
        try await store.put("3", "item")
        anchor.fail(nil)
        #expect(try await survey(disk.image, anchor) == [nil, nil])
        #expect(try await survey(damaged(disk.image), anchor) == [nil, nil])
        try await store.compact()
        await store.close()
        #expect(try await survey(now, anchor) == [.rolledBack, .rolledBack])
        #expect(try await survey(damaged(now), anchor) == [.rolledBack, .rolledBack])
        #expect(try await survey(disk.image, anchor) == [nil, nil])
    }

    @Test(
        "K-6: the store's own record is damaged when any part of it does not verify, and is not written over"
    )
    func altered() async throws {
        let (disk, anchor) = (SimulatedDisk(), MemoryAnchor())
        let store = try await open(disk, anchor)
        try await store.put("v", "item")
        await store.close()
        let good = try #require(anchor.state.withLock { $0.record })
        // Magic, count, file generation, sequence, tag, what is zero, and the MAC.
        for place in [0, 8, 32, 40, 48, 64, 96, 127] {
            var bad = good
            bad[place] ^= 1
            anchor.state.withLock { [bad] in $0.record = bad }
            #expect(await code { try await open(disk, anchor) } == .damaged, "byte \(place)")
            #expect(anchor.state.withLock { $0.record } == bad, "byte \(place)")
            // Two in turn: the other one counts.
            anchor.state.withLock { [bad] in $0.record = bad + good }
            #expect(try await open(disk, anchor).get("item") == "v", "byte \(place)")
        }
        var other = good
        other[16] ^= 1
        anchor.state.withLock { [other] in $0.record = other }
        #expect(await code { try await open(disk, anchor) } == .rolledBack)
    }

    @Test("K-6: a store is refused when either of two anchors knows a later one")
    func two() async throws {
        let (disk, anchor) = (SimulatedDisk(), MemoryAnchor())
        let store = try await open(disk, anchor, file: true)
        try await store.put("1", "item")
        let old = (disk.image, anchor.state.withLock { $0.record })
        try await store.put("2", "item")
        await store.close()
        // Store and file anchor of before; then store and the other one.
        #expect(await code { try await open(SimulatedDisk(old.0), anchor, file: true) } == .rolledBack)
        var image = disk.image
        image[Setup.path] = old.0[Setup.path]
        anchor.state.withLock { $0.record = old.1 }
        #expect(await code { try await open(SimulatedDisk(image), anchor, file: true) } == .rolledBack)
    }

    @Test("K-6, K-10: an anchor that cannot be read opens no store; one that cannot be written is told of")
    func failing() async throws {
        let (disk, anchor) = (SimulatedDisk(), MemoryAnchor())
        let store = try await open(disk, anchor)
        anchor.fail(.notPermitted)
        try await store.put("1", "item")
        #expect(store.lastAnchorFailure?.code == .notPermitted)
        #expect(await code { try await open(disk, anchor) } == .notPermitted)
        #expect(await code { try await open(SimulatedDisk(), anchor) } == .notPermitted)
        anchor.fail(nil)
        try await store.put("2", "item")
        #expect(store.lastAnchorFailure == nil)
        #expect(try await open(disk, anchor).get("item") == "2")
    }
}

#if os(Linux)
@Suite("A rollback anchor in the kernel's keyring", .timeLimit(.minutes(10)))
struct KeyringAnchorTests {
    /// Whether this system has such keyrings; other failures are for the tests to come upon.
    static var isAvailable: Bool {
        do {
            _ = try KeyringAnchor(name: "probe").records()
        } catch {
            if error.code == .unavailable {
                print("no persistent keyring: \(error)")
                return false
            }
        }
        return true
    }

    @Test(
        "K-6: an older store is rolledBack by a witness in the kernel, until that is forgotten",
        .enabled(if: isAvailable)
    )
    func rollback() async throws {
        let scratch = try Scratch()
        let anchor = KeyringAnchor(name: scratch.store)
        defer { try? anchor.forget() }
        #expect(try anchor.records() == nil)
        try anchor.forget()
        var configuration = scratch.configuration
        configuration.anchor = anchor
        let store = try await GcryptKeystore.open(configuration)
        try await store.put("1", "item")
        let old = try scratch.bytes()
        try await store.put("2", "item")
        #expect(store.lastAnchorFailure == nil)
        await store.close()
        #expect(try anchor.records()?.count == 128)
        // Another process of this user meets the same witness.
        await #expect(processExitsWith: .success) { [place = scratch.path as String] in
            let store = try await GcryptKeystore.open(
                KeystoreConfiguration(
                    path: place + "/test.keystore",
                    credential: .keyFile(place + "/test.key"),
                    createsIfMissing: false,
                    anchor: KeyringAnchor(name: place + "/test.keystore")
                )
            )
            try await store.put("3", "item")
            if let failure = store.lastAnchorFailure { throw failure }
        }
        #expect(try await GcryptKeystore.open(configuration).get("item") == "3")
        try scratch.put(old)
        #expect(await code { try await GcryptKeystore.open(configuration) } == .rolledBack)
        try FileManager.default.removeItem(atPath: scratch.store)
        #expect(await code { try await GcryptKeystore.open(configuration) } == .rolledBack)
        try scratch.put(old)
        try anchor.forget()
        #expect(try await GcryptKeystore.open(configuration).get("item") == "1")
    }

    @Test(
        "K-10: a name that the kernel does not take is a typed error, and opens no store",
        .enabled(if: isAvailable)
    )
    func refused() async throws {
        let scratch = try Scratch()
        var configuration = scratch.configuration
        configuration.anchor = KeyringAnchor(name: String(repeating: "x", count: 5000))
        #expect(await code { try await GcryptKeystore.open(configuration) } == .systemFailure)
    }
}
#endif
