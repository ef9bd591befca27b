import Foundation
import GcryptKeystore
import PortcullisCore
import Synchronization
import Testing

/// A protector that hides nothing: the file and the slot are what is tested.
private struct PlainProtector: KeyProtector {
    /// The first byte of what the protector gives. Protectors of two machines have different ones.
    var machine: UInt8 = 9

    func protect(_ key: SecretBytes) async throws(SecretStoreError) -> [UInt8] {
        key.withBytes { bytes in [machine] + bytes.indices.map { bytes[$0] } }
    }

    func release(_ protected: [UInt8]) async throws(SecretStoreError) -> SecretBytes {
        guard protected.count >= 33 else {
            throw SecretStoreError(code: .damaged, message: "no protected key")
        }
        guard protected.first == machine else {
            throw SecretStoreError(code: .wrongKey, message: "another protector's")
        }
        return SecretBytes(copying: protected.dropFirst())
    }
}

/// A protector whose hardware is busy just when a key is to be released.
private struct BusyProtector: KeyProtector {
    func protect(_ key: SecretBytes) async throws(SecretStoreError) -> [UInt8] {
        try await PlainProtector().protect(key)
    }

    func release(_ protected: [UInt8]) async throws(SecretStoreError) -> SecretBytes {
        throw SecretStoreError(code: .unavailable, message: "busy")
    }
}

@Suite("A slot whose key is protected (H-4)", .timeLimit(.minutes(10)))
struct ProtectedKeyTests {
    private let scratch: Scratch
    private let protector = PlainProtector()
    private var file: String { GcryptKeystore.protectedKeyPath(of: scratch.store) }

    init() throws { scratch = try Scratch() }

    private func mode(_ permissions: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
    }

    private func open() async throws -> GcryptKeystore {
        var configuration = scratch.configuration
        configuration.credential = try await .protectedKey(of: scratch.store, by: protector)
        return try await GcryptKeystore.open(configuration)
    }

    @Test("H-4: the file beside the store opens it, is its owner's alone, and is made once")
    func opens() async throws {
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("v", "item")
        #expect(await code { try await open() } == .keyMissing)
        let slots = try await store.slots().count
        try await store.addSlot(protectedBy: protector)
        #expect(try await store.slots().count == slots + 1)
        let found = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(found == 0o600)
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        #expect(names.filter { $0.hasPrefix("test.keystore.protected-key") }.count == 1)
        #expect(await code { try await store.addSlot(protectedBy: protector) } == .alreadyExists)
        #expect(try await open().get("item") == "v")
    }

    @Test("H-4: a protected key whose slot was removed opens nothing, and the error names its file")
    func removedSlot() async throws {
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("v", "item")
        let slot = try await store.addSlot(protectedBy: protector)
        try await store.removeSlot(slot.id)
        let error = await #expect(throws: SecretStoreError.self) { _ = try await open() }
        #expect(error?.code == .wrongKey && error?.message.contains(file) == true)
        try FileManager.default.removeItem(atPath: file)
        try await store.addSlot(protectedBy: protector)
        #expect(try await open().get("item") == "v")
        // Another key is told nothing of a file that is not there.
        try FileManager.default.removeItem(atPath: file)
        var configuration = scratch.configuration
        configuration.credential = .rawKey(SecretBytes(randomCount: 32))
        let other = await #expect(throws: SecretStoreError.self) {
            _ = try await GcryptKeystore.open(configuration)
        }
        #expect(other?.code == .wrongKey && other?.message.contains(file) == false)
    }

    private func demandKept(
        _ bytes: [UInt8],
        _ store: GcryptKeystore,
        _ protector: PlainProtector
    ) async throws {
        let slots = try await store.slots()
        do throws(SecretStoreError) {
            try await store.addSlot(protectedBy: protector)
            Issue.record("the file is gone")
        } catch {
            #expect(error.code == .alreadyExists && error.path == file)
            #expect(error.message.contains("move the file away"), "\(error.message)")
        }
        #expect(try scratch.bytes(file) == bytes)
        #expect(try await store.slots() == slots)
    }

    @Test("H-4: a file that is no protected key, such as another store's key file, is not replaced")
    func foreignFile() async throws {
        var other = scratch.configuration
        other.path = scratch.path + "/other.keystore"
        let elsewhere = scratch.path + "/other.key"
        other.credential = .keyFile(elsewhere)
        try await GcryptKeystore.open(other).put("w", "item")
        let key = try scratch.bytes(elsewhere)
        try scratch.put(key, file)
        let store = try await GcryptKeystore.open(scratch.configuration)
        for bytes in [key, [], Array("a note".utf8)] {
            try scratch.put(bytes, file)
            try await demandKept(bytes, store, protector)
        }
    }

    @Test("H-4: a protected key of a store that was moved away is not replaced, and opens that store again")
    func movedStore() async throws {
        let (files, moved) = (POSIXFiles(), scratch.path + "/moved.keystore")
        let first = try await GcryptKeystore.open(scratch.configuration)
        try await first.put("old", "item")
        let keyFileSlot = try #require(try await first.slots().first)
        try await first.addSlot(protectedBy: protector)
        try await first.removeSlot(keyFileSlot.id)
        await first.close()
        let protected = try scratch.bytes(file)
        try files.rename(scratch.store, to: moved)
        let second = try await GcryptKeystore.open(scratch.configuration)
        // Neither this hardware nor other hardware replaces it.
        try await demandKept(protected, second, protector)
        try await demandKept(protected, second, PlainProtector(machine: 8))
        try files.rename(file, to: GcryptKeystore.protectedKeyPath(of: moved))
        try await second.addSlot(protectedBy: protector)
        #expect(try await open().get("item") == nil)
        var configuration = scratch.configuration
        configuration.path = moved
        configuration.credential = try await .protectedKey(of: moved, by: protector)
        #expect(try await GcryptKeystore.open(configuration).get("item") == "old")
    }

    @Test("H-4: a slot that is not added leaves no protected key behind, so that adding it can be repeated")
    func notAdded() async throws {
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("v", "item")
        var full: SecretStoreErrorCode?
        while full == nil {
            full = await code { try await store.addSlot(.rawKey(SecretBytes(randomCount: 32))) }
        }
        #expect(full == .invalidSlot)
        let last = try #require(try await store.slots().last)
        #expect(await code { try await store.addSlot(protectedBy: protector) } == .invalidSlot)
        #expect(!FileManager.default.fileExists(atPath: file))
        try await store.removeSlot(last.id)
        try await store.addSlot(protectedBy: protector)
        #expect(try await open().get("item") == "v")
    }

    @Test("H-4: the protected key of another machine is not replaced, and moved away it is kept")
    func otherMachine() async throws {
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("v", "item")
        let slot = try await store.addSlot(protectedBy: protector)
        let before = try scratch.bytes(file)
        let other = PlainProtector(machine: 8)
        try await demandKept(before, store, other)
        #expect(try await open().get("item") == "v")
        try await store.removeSlot(slot.id)
        try await demandKept(before, store, other)
        // Moved away it is kept, and the other machine gets a file of its own.
        try POSIXFiles().rename(file, to: file + ".other")
        try await store.addSlot(protectedBy: other)
        var configuration = scratch.configuration
        configuration.credential = try await .protectedKey(of: scratch.store, by: other)
        #expect(try await GcryptKeystore.open(configuration).get("item") == "v")
    }

    @Test("H-4: two machines that add a slot at the same time do not replace each other's key")
    func atOnce() async throws {
        let files = FaultyFiles()
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        let (scratch, file) = (scratch, file)
        let others: [UInt8] = [8] + [UInt8](repeating: 1, count: 32)
        // Between the look for the file and its renaming.
        files.script.withLock { $0.beforeSync = { try? scratch.put(others, file) } }
        #expect(await code { try await store.addSlot(protectedBy: protector) } == .alreadyExists)
        #expect(try scratch.bytes(file) == others)
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        #expect(!names.contains { $0.hasSuffix(".new") }, "\(names)")
    }

    @Test("H-4: a protected key whose name could not be synced is removed, so that adding it can be repeated")
    func unsyncedName() async throws {
        let files = FaultyFiles()
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        files.fail("fsync-folder", EIO)
        #expect(await code { try await store.addSlot(protectedBy: protector) } == .systemFailure)
        #expect(!FileManager.default.fileExists(atPath: file))
        files.fail("fsync-folder", nil)
        try await store.addSlot(protectedBy: protector)
        #expect(try await store.slots().count == 2)
    }

    @Test("H-4: while the hardware is busy, the file with a key of the store is not replaced")
    func busy() async throws {
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.addSlot(protectedBy: protector)
        let slots = try await store.slots().count
        #expect(await code { try await store.addSlot(protectedBy: BusyProtector()) } == .unavailable)
        #expect(try await store.slots().count == slots)
        await store.close()
        #expect(await code { try await open() } == nil)
    }

    @Test(
        "H-4: a file, or a folder, that other users may write to is refused, and so is a file that is too large"
    )
    func refused() async throws {
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.addSlot(protectedBy: protector)
        await store.close()
        try mode(0o777, of: scratch.path)
        let found = await code {
            try await KeystoreCredential.protectedKey(of: scratch.store, by: protector)
        }
        #expect(found == .untrustedFile)
        try mode(0o700, of: scratch.path)
        try mode(0o644, of: file)
        #expect(await code { try await open() } == .untrustedFile)
        try mode(0o600, of: file)
        #expect(await code { try await open() } == nil)
        let padding = [UInt8](repeating: 9, count: 16_384)
        for (count, expected) in [(16_384, .wrongKey), (16_385, .damaged)] as [(Int, SecretStoreErrorCode)] {
            try scratch.put([1] + padding.prefix(count - 1) + (count > 16_384 ? [9] : []), file)
            #expect(await code { try await open() } == expected, "\(count) bytes")
        }
    }
}
