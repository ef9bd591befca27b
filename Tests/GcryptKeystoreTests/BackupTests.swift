import Foundation
@testable import GcryptKeystore
import Gcrypt
import PortcullisCore
import Testing

@Suite("What a backup may hold", .timeLimit(.minutes(10)))
struct BackupTests {
    private static let passphrase = secret("bp")

    /// The bytes of a backup of these items, as one who has only its passphrase could make them.
    private func backup(
        _ items: [(namespace: String, name: String, class: UInt8, value: String)]
    ) throws -> [UInt8] {
        var plain: [UInt8] = []
        for item in items {
            plain += [item.class, UInt8(item.namespace.utf8.count)]
            plain.append(UInt16(item.name.utf8.count))
            plain.append(UInt32(item.value.utf8.count))
            plain += [item.namespace, item.name, item.value].flatMap(\.utf8)
        }
        plain += [UInt8](repeating: 0, count: (64 - plain.count % 64) % 64)
        var file: [UInt8] = [0x89, 0x50, 0x4B, 0x42, 0x4B, 0x0D, 0x0A, 0x1A]
        for number in [1, 64, 1, 1] as [UInt32] { file.append(number) }
        let (salt, nonce) = (randomBytes(16), randomBytes(12))
        file += salt + nonce
        let key = try Argon2.derive(Self.passphrase, salt: salt, Setup.cheap)
        file += try Sealed.seal(SecretBytes(copying: plain), under: key, nonce: nonce, binding: file)
        return file
    }

    @Test(
        "K-9: a backup with an item of the library's own is refused as a whole, and nothing has changed",
        arguments: ["passcode", "asked", "goal", "introduced", "shield", "guardian", "schedule", "to come"]
    )
    func libraryItems(_ word: String) async throws {
        let scratch = try Scratch()
        let namespace = "portcullis." + word.filter { $0 != " " }
        let store = try await GcryptKeystore.open(scratch.tight)
        let own = try SecretName("device", in: SecretNamespace(namespace))
        try await store.write(secret("record"), to: own, accessibility: .afterFirstUnlockThisDeviceOnly)
        try await store.put("before", "item")
        let before = try scratch.bytes()
        let path = scratch.path + "/backup"
        for ownClass in [0x82, 0x02, 0x01] as [UInt8] {
            let items = [
                ("tests", "item", 0x02, "after"), (namespace, "device", ownClass, "made up"),
                ("tests", "other", 0x02, "new"),
            ]
            try scratch.put(try backup(items), path)
            do throws(SecretStoreError) {
                _ = try await store.import(from: path, passphrase: Self.passphrase)
                Issue.record("it was taken in")
            } catch {
                #expect(error.code == .invalidName && error.path == path)
                #expect(error.message.contains("\(namespace)/device"))
            }
            #expect(try scratch.bytes() == before)
        }
        // Without it the rest comes in.
        try scratch.put(try backup([("tests", "item", 0x02, "after")]), path)
        #expect(try await store.import(from: path, passphrase: Self.passphrase) == 1)
        #expect(try await store.get("item") == "after")
        #expect(text(try await store.read(own)?.value) == "record")
    }

    @Test("K-9: the library's own items stay out of a backup, whatever their class; a salvage keeps them")
    func exported() async throws {
        let scratch = try Scratch()
        var configuration = scratch.tight
        configuration.argon2 = Setup.cheap
        let store = try await GcryptKeystore.open(configuration)
        let own = SecretName(.device, in: .library("passcode"))
        try await store.write(secret("record"), to: own, accessibility: .afterFirstUnlock)
        try await store.put("v", "item")
        let path = scratch.path + "/backup"
        #expect(try await store.export(to: path, passphrase: Self.passphrase) == 1)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        #expect(names.filter { $0.hasPrefix("backup") } == ["backup"])
        var elsewhere = configuration
        elsewhere.path = scratch.path + "/other"
        let other = try await GcryptKeystore.open(elsewhere)
        #expect(try await other.import(from: path, passphrase: Self.passphrase) == 1)
        #expect(try await other.read(own) == nil)
        #expect(try await other.get("item") == "v")
        await store.close()
        elsewhere.path = scratch.path + "/rescued"
        _ = try await GcryptKeystore.salvage(configuration, to: elsewhere.path)
        let rescued = try await GcryptKeystore.open(elsewhere)
        #expect(text(try await rescued.read(own)?.value) == "record")
    }

    @Test("K-9: what one commit takes is exported and imported; an item more is refused, and no file is made")
    func tooLarge() async throws {
        let scratch = try Scratch()
        var configuration = scratch.configuration
        configuration.argon2 = Setup.cheap
        configuration.batchLimit = 100_000
        let store = try await GcryptKeystore.open(configuration)
        let path = scratch.path + "/backup"
        let value = SecretBytes(randomCount: 20_000)
        for count in 1...5 {
            try await store.write(value, to: name("\(count)"), accessibility: .afterFirstUnlock)
            if count < 5 { continue }
            let error = await #expect(throws: SecretStoreError.self) {
                try await store.export(to: path, passphrase: Self.passphrase)
            }
            #expect(error?.code == .tooLarge)
            #expect(!FileManager.default.fileExists(atPath: path))
        }
        _ = try await store.remove(name("5"))
        #expect(try await store.export(to: path, passphrase: Self.passphrase) == 4)
        configuration.path = scratch.path + "/other"
        let other = try await GcryptKeystore.open(configuration)
        #expect(try await other.import(from: path, passphrase: Self.passphrase) == 4)
        // Another store's export has no say in what this one takes in.
        configuration.path = scratch.path + "/third"
        configuration.batchLimit = 50_000
        let third = try await GcryptKeystore.open(configuration)
        let error = await #expect(throws: SecretStoreError.self) {
            try await third.import(from: path, passphrase: Self.passphrase)
        }
        #expect(error?.code == .tooLarge)
        #expect(try await third.names(in: name("1").namespace).isEmpty)
    }

    @Test("K-4, K-9: more than a megabyte of live data is there after a compaction, and in a backup of it")
    func large() async throws {
        let scratch = try Scratch()
        var configuration = scratch.configuration
        configuration.argon2 = Setup.cheap
        let store = try await GcryptKeystore.open(configuration)
        // Several times what the writer of a new file holds before it writes.
        let values = (0..<7).map { index in
            SecretBytes(copying: (0..<400_000 + index).map { UInt8(truncatingIfNeeded: $0 * 31 + index) })
        }
        for (index, value) in values.enumerated() {
            try await store.write(value, to: name("\(index)"), accessibility: .afterFirstUnlock)
        }
        func demandAll(_ store: GcryptKeystore, _ what: String) async throws {
            for (index, value) in values.enumerated() {
                let isSame = try await store.read(name("\(index)"))?.value.matches(value)
                #expect(isSame == true, "\(what): \(index)")
            }
        }
        try await store.compact()
        try await demandAll(store, "the handle that compacted")
        let again = try await GcryptKeystore.open(configuration)
        try await demandAll(again, "opened again")
        #expect(try await GcryptKeystore.check(configuration).damage.isEmpty)
        let path = scratch.path + "/backup"
        #expect(try await again.export(to: path, passphrase: Self.passphrase) == values.count)
        configuration.path = scratch.path + "/other"
        let other = try await GcryptKeystore.open(configuration)
        #expect(try await other.import(from: path, passphrase: Self.passphrase) == values.count)
        try await demandAll(other, "the backup")
    }
}
