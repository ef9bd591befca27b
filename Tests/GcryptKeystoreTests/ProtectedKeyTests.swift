import Foundation
import GcryptKeystore
import PortcullisCore
import Testing

/// A protector that hides nothing: the file and the slot are what is tested.
private struct PlainProtector: KeyProtector {
    func protect(_ key: SecretBytes) async throws(SecretStoreError) -> [UInt8] {
        key.withBytes { bytes in [9] + bytes.indices.map { bytes[$0] } }
    }

    func release(_ protected: [UInt8]) async throws(SecretStoreError) -> SecretBytes {
        guard protected.first == 9 else {
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
        // A file of which nothing opens the store is replaced.
        try scratch.put([1, 2, 3], file)
        try await store.addSlot(protectedBy: protector)
        #expect(try await store.slots().count == slots + 2)
        #expect(try await open().get("item") == "v")
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
