import Foundation
import GcryptKeystore
import PortcullisCore
import Testing

@Suite("Slots, classes and backups", .timeLimit(.minutes(10)))
struct ClassTests {
    private static let cheap = Argon2Parameters(memory: 64, passes: 1, lanes: 1)

    @Test("K-1: slots are added, listed, used and removed without the data being encrypted anew")
    func slots() async throws {
        let scratch = try Scratch()
        var configuration = scratch.tight
        configuration.argon2 = Self.cheap
        let store = try await GcryptKeystore.open(configuration)
        try await store.put("v", "item")
        let frames = try scratch.bytes()[8192...]
        let passphrase = try await store.addSlot(.passphrase(secret("correct horse")))
        let file = try await store.addSlot(.keyFile(scratch.path + "/second.key"))
        #expect(try await store.slots().map(\.kind) == [.keyFile, .passphrase, .keyFile])
        #expect(passphrase.argon2 == Self.cheap)
        #expect(try scratch.bytes()[8192...].starts(with: frames))
        for credential in [
            KeystoreCredential.passphrase(secret("correct horse")), .keyFile(scratch.path + "/second.key"),
        ] {
            var other = configuration
            other.credential = credential
            #expect(try await GcryptKeystore.open(other).get("item") == "v")
        }
        let reader = try await GcryptKeystore.open(configuration)
        try await store.removeSlot(passphrase.id)
        #expect(try await reader.slots().count == 2, "another handle sees the change")
        var gone = configuration
        gone.credential = .passphrase(secret("correct horse"))
        #expect(await code { try await GcryptKeystore.open(gone) } == .wrongKey)
        #expect(await code { try await store.removeSlot(passphrase.id) } == .invalidSlot)
        try await store.removeSlot(file.id)
        #expect(await code { try await store.removeSlot(1) } == .invalidSlot, "the last one stays")
        try await store.compact()
        #expect(try await GcryptKeystore.open(configuration).get("item") == "v")
    }

    @Test("K-10: a slot with parameters that are not sane is damage, before any derivation")
    func insaneSlot() async throws {
        let scratch = try Scratch()
        var configuration = scratch.configuration
        configuration.credential = .passphrase(secret("pass"))
        configuration.argon2 = Self.cheap
        _ = try await GcryptKeystore.open(configuration)
        var bytes = try scratch.bytes()
        for page in [0, 4096] {
            for index in 0..<4 { bytes[page + 96 + 8 + index] = 0xFF }
            bytes.replaceSubrange(page + 4064..<page + 4096, with: sha256(Array(bytes[page..<page + 4064])))
        }
        try scratch.put(bytes)
        #expect(await code { try await GcryptKeystore.open(configuration) } == .damaged)
    }

    @Test("K-8: a locked class can be neither read nor written; names and the rest can, and it comes back")
    func locking() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("hidden", "a", .whenUnlocked)
        try await store.put("shown", "b", .afterFirstUnlockThisDeviceOnly)
        store.lock()
        #expect(store.isLocked)
        #expect(await code { try await store.get("a") } == .classLocked)
        #expect(await code { try await store.put("x", "a", .whenUnlocked) } == .classLocked)
        #expect(await code { try await store.put("x", "new", .whenUnlockedThisDeviceOnly) } == .classLocked)
        #expect(try await store.get("b") == "shown")
        #expect(try await store.get("none") == nil)
        #expect(try await store.names(in: SecretNamespace("tests")).map(\.name) == ["a", "b"])
        try await store.put("still", "b")
        try await store.compact()
        let wrong = await code { try await store.unlock(with: .rawKey(SecretBytes(randomCount: 32))) }
        #expect(wrong == .wrongKey && store.isLocked)
        try await store.unlock(with: .keyFile(scratch.keyFile))
        #expect(try await store.get("a") == "hidden")
    }

    @Test(
        "K-8: a sealed store opens locked; only the passcode's key or a recovery credential unlocks the class"
    )
    func sealing() async throws {
        let scratch = try Scratch()
        var configuration = scratch.configuration
        configuration.argon2 = Self.cheap
        let key = SecretBytes(randomCount: 32)
        let store = try await GcryptKeystore.open(configuration)
        let other = try await GcryptKeystore.open(configuration)
        try await store.put("hidden", "a", .whenUnlocked)
        #expect(try await other.get("a") == "hidden")
        try await store.seal(under: key, recovery: [.passphrase(secret("recovery"))])
        #expect(store.isSealed && !store.isLocked)
        #expect(try await store.get("a") == "hidden")
        #expect(await code { try await other.get("a") } == .classLocked, "the old key opens nothing any more")

        let again = try await GcryptKeystore.open(configuration)
        #expect(again.isSealed && again.isLocked)
        #expect(await code { try await again.get("a") } == .classLocked)
        #expect(await code { try await again.unlock(with: .keyFile(scratch.keyFile)) } == .wrongKey)
        #expect(
            await code { try await again.unlock(with: .rawKey(SecretBytes(randomCount: 32))) } == .wrongKey
        )
        try await again.put("after", "b", .afterFirstUnlock)
        try await again.compact()
        try await again.unlock(with: .rawKey(key))
        #expect(try await again.get("a") == "hidden")
        again.lock()
        try await again.unlock(with: .passphrase(secret("recovery")))
        #expect(try await again.get("a") == "hidden")

        let fresh = SecretBytes(randomCount: 32)
        try await again.seal(under: fresh)
        again.lock()
        #expect(await code { try await again.unlock(with: .rawKey(key)) } == .wrongKey)
        try await again.unlock(with: .rawKey(fresh))
        try await again.unseal()
        #expect(!again.isSealed)
        #expect(try await GcryptKeystore.open(configuration).get("a") == "hidden")
    }

    @Test("K-7, K-8: a class that another process unseals is unlocked in this one too, also after a lock")
    func unsealedElsewhere() async throws {
        let scratch = try Scratch()
        let other = try await GcryptKeystore.open(scratch.configuration)
        try await other.put("hidden", "a")
        let key = SecretBytes(randomCount: 32)
        try await other.seal(under: key, recovery: [])
        let fresh = try await GcryptKeystore.open(scratch.configuration)
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.unlock(with: .rawKey(key))
        store.lock()
        #expect(fresh.isLocked && store.isLocked)
        try await other.unseal()
        for one in [fresh, store] {
            #expect(try await one.get("a") == "hidden")
            #expect(!one.isLocked && !one.isSealed)
            try await one.put("seen", "b")
        }
    }

    @Test("K-8: a copy that was sealed by itself takes the key of the store that it replaces")
    func sealedCopy() async throws {
        let (scratch, elsewhere) = (try Scratch(), try Scratch())
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("hidden", "a", .whenUnlocked)
        let before = try scratch.bytes()
        try await store.seal(under: SecretBytes(randomCount: 32))
        try elsewhere.put(before)
        var configuration = elsewhere.configuration
        configuration.credential = .keyFile(scratch.keyFile)
        let copy = try await GcryptKeystore.open(configuration)
        let key = SecretBytes(randomCount: 32)
        try await copy.seal(under: key)
        try await copy.compact()
        try FileManager.default.removeItem(atPath: scratch.store)
        try scratch.put(elsewhere.bytes())
        #expect(await code { try await store.put("lost", "b", .whenUnlocked) } == .classLocked)
        try await store.unlock(with: .rawKey(key))
        try await store.put("kept", "b", .whenUnlocked)
        #expect(try await store.get("a") == "hidden")
        let next = try await GcryptKeystore.open(scratch.configuration)
        try await next.unlock(with: .rawKey(key))
        #expect(try await next.get("b") == "kept")
    }

    @Test("K-8: after the last slot of a sealed class was removed, an unlocked store still has the key")
    func lastSlot() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("hidden", "a", .whenUnlocked)
        let key = SecretBytes(randomCount: 32)
        try await store.seal(under: key)
        let other = try await GcryptKeystore.open(scratch.configuration)
        let slot = try #require(try await other.slots().first { $0.purpose != .store })
        try await other.removeSlot(slot.id, evenIfLast: true)
        try await other.compact()
        #expect(await code { try await other.unlock(with: .rawKey(key)) } == .wrongKey)
        #expect(try await store.get("a") == "hidden")
        try await store.seal(under: key)
        try await other.unlock(with: .rawKey(key))
        #expect(try await other.get("a") == "hidden")
    }

    @Test("K-9: a backup holds all but device-only items, under its passphrase")
    func backup() async throws {
        let scratch = try Scratch()
        var configuration = scratch.configuration
        configuration.argon2 = Self.cheap
        let store = try await GcryptKeystore.open(configuration)
        try await store.put("1", "a", .whenUnlocked)
        try await store.put("", "empty", .afterFirstUnlock)
        try await store.put("3", "device", .whenUnlockedThisDeviceOnly)
        let file = scratch.path + "/backup"
        store.lock()
        #expect(await code { try await store.export(to: file, passphrase: secret("bp")) } == .classLocked)
        try await store.unlock(with: .keyFile(scratch.keyFile))
        #expect(try await store.export(to: file, passphrase: secret("bp")) == 2)
        #expect(await code { try await store.export(to: file, passphrase: secret("bp")) } == .alreadyExists)
        var elsewhere = configuration
        elsewhere.path = scratch.path + "/other"
        let other = try await GcryptKeystore.open(elsewhere)
        #expect(await code { try await other.import(from: file, passphrase: secret("no")) } == .wrongKey)
        #expect(try await other.import(from: file, passphrase: secret("bp")) == 2)
        #expect(try await other.get("a") == "1")
        #expect(try await other.get("empty") == "")
        #expect(try await other.get("device") == nil)
        #expect(try await other.read(name("a"))?.accessibility == .whenUnlocked)
    }
}
