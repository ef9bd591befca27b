import Foundation
import GcryptKeystore
import Glibc
import PortcullisCore
import Testing

@testable import SealedSession
@testable import portcullis

/// The seal of a session by itself: which lock it is open for.
@Suite("the seal of a session (K-8)", .timeLimit(.minutes(10)))
struct SessionSealTests {
    private let key = SecretBytes(randomCount: 32)
    private let name = try? SecretName("item", in: SecretNamespace("default"))

    /// A store with one item, not sealed yet, and what seals it.
    private func make() async throws -> (store: GcryptKeystore, seal: SessionSeal, folder: URL) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "seal-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        let path = folder.appendingPathComponent("a.keystore").path
        let store = try await GcryptKeystore.open(
            KeystoreConfiguration(path: path, credential: .keyFile("\(path).key"))
        )
        try await store.write(SecretBytes(copying: [7]), to: #require(name), accessibility: .whenUnlocked)
        let seal = try SessionSeal(
            of: store,
            recovery: SecretBytes(copying: Array("a way back".utf8)),
            at: path,
            environment: ["XDG_RUNTIME_DIR": folder.path]
        )
        return (store, seal, folder)
    }

    private func code(_ body: () async throws(SecretStoreError) -> Void) async -> SecretStoreError.Code? {
        do throws(SecretStoreError) {
            try await body()
            return nil
        } catch {
            return error.code
        }
    }

    @Test(
        "K-8: locking takes the key out of the process and shuts the agent, and the passcode's key brings both back"
    )
    func locks() async throws {
        let (store, seal, folder) = try await make()
        defer { try? FileManager.default.removeItem(at: folder) }
        seal.lock(for: 1)
        #expect(!store.isLocked, "what is not sealed the file gives to anyone")
        #expect(!seal.hasOpened && !seal.isSealed)

        try await seal.open(with: key, for: 1)
        #expect(seal.hasOpened && seal.isSealed && !store.isLocked && !seal.isSealedByOther)
        #expect(!seal.agent.isOpen, "open, but the session is not unlocked yet")
        seal.admit(for: 1)
        #expect(seal.agent.isOpen)

        seal.lock(for: 3)
        #expect(store.isLocked && !seal.agent.isOpen)
        let name = try #require(name)
        #expect(await code { () throws(SecretStoreError) in _ = try await store.read(name) } == .classLocked)
        try await seal.open(with: key, for: 3)
        #expect(try await store.read(name)?.value.count == 1)
        seal.end()
        #expect(store.isLocked)
        await seal.agent.stop()
        #expect(!FileManager.default.fileExists(atPath: seal.agent.socket))
    }

    @Test("K-8: another key, or none, opens nothing")
    func otherKeys() async throws {
        let (store, seal, folder) = try await make()
        defer { try? FileManager.default.removeItem(at: folder) }
        try await seal.open(with: key, for: 1)
        seal.lock(for: 2)
        for other in [SecretBytes(randomCount: 32), nil] {
            #expect(
                await code { () throws(SecretStoreError) in try await seal.open(with: other, for: 2) }
                    == .wrongKey
            )
            #expect(store.isLocked)
        }
        await seal.agent.stop()
    }

    @Test(
        "K-8: late news of a lock that was opened since changes nothing; a passcode for an earlier lock opens nothing"
    )
    func order() async throws {
        let (store, seal, folder) = try await make()
        defer { try? FileManager.default.removeItem(at: folder) }
        seal.lock(for: 1)
        try await seal.open(with: key, for: 1)
        seal.admit(for: 1)
        seal.lock(for: 1)
        #expect(!store.isLocked && seal.agent.isOpen)

        seal.lock(for: 3)
        seal.lock(for: 5)
        #expect(
            await code { () throws(SecretStoreError) in try await seal.open(with: key, for: 3) }
                == .classLocked
        )
        #expect(store.isLocked)
        try await seal.open(with: key, for: 5)
        // It did not unlock the session; what is opened for another lock meanwhile is left alone.
        seal.giveUp(for: 3)
        #expect(!store.isLocked)
        seal.giveUp(for: 5)
        #expect(store.isLocked)
        try await seal.open(with: key, for: 5)
        // Locked again before the session could say that it is unlocked.
        seal.lock(for: 7)
        seal.admit(for: 5)
        #expect(store.isLocked && !seal.agent.isOpen)
        await seal.agent.stop()
    }

    @Test("K-8: a lock that comes while the store is being sealed leaves no key in the process")
    func lockedWhileSealing() async throws {
        let (store, seal, folder) = try await make()
        defer { try? FileManager.default.removeItem(at: folder) }
        // Held by another, the store's lock keeps it from being sealed until the session has locked.
        let held = unsafe Glibc.open("\(folder.path)/a.keystore.lock", O_RDWR)
        var generation: UInt64 = 1
        while !seal.isSealed {
            seal.lock(for: generation)
            #expect(held >= 0 && flock(held, LOCK_EX) == 0)
            let opening = Task { [generation] in
                await code { () throws(SecretStoreError) in
                    try await seal.open(with: key, for: generation)
                }
            }
            try await Task.sleep(for: .milliseconds(50 * Int(generation)))
            generation += 1
            seal.lock(for: generation)
            #expect(flock(held, LOCK_UN) == 0)
            // That it had not begun yet is the other way this can go.
            let outcome = await opening.value
            #expect(outcome == nil || outcome == .classLocked)
        }
        close(held)
        #expect(seal.isSealed && store.isLocked)
        seal.admit(for: generation - 1)
        seal.giveUp(for: generation - 1)
        #expect(store.isLocked && !seal.agent.isOpen)
        try await seal.open(with: key, for: generation)
        #expect(!store.isLocked)
        await seal.agent.stop()
    }

    @Test("K-8: a store that another process sealed, or unsealed, meanwhile is opened as it is")
    func others() async throws {
        let (store, seal, folder) = try await make()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("a.keystore").path
        let other = try await GcryptKeystore.open(
            KeystoreConfiguration(path: path, credential: .keyFile("\(path).key"))
        )
        try await other.seal(under: key, recovery: [])
        #expect(!seal.isSealedByOther)
        try await seal.open(with: key, for: 1)
        #expect(seal.isSealed && !store.isLocked)
        #expect(seal.isSealedByOther, "this session's recovery passphrase opens nothing")
        seal.lock(for: 2)
        try await other.unseal()
        try await seal.open(with: key, for: 2)
        #expect(!seal.isSealed && !store.isLocked)
        await seal.agent.stop()
    }
}
