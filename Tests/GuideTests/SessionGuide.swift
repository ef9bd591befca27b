public import GcryptKeystore
public import PortcullisCore
public import SealedSession
import Testing

extension GcryptKeystore: SealableSecretStore {
    /// Opens with the key, or with the passphrase, that it was sealed under.
    public func unlock(with opener: SealOpener) async throws(SecretStoreError) {
        switch opener {
        case .key(let key): try await unlock(with: KeystoreCredential.rawKey(key))
        case .recovery(let passphrase): try await unlock(with: KeystoreCredential.passphrase(passphrase))
        }
    }

    /// Seals under the key, and under each passphrase.
    public func seal(
        under key: SecretBytes,
        recoverableWith passphrases: [SecretBytes]
    ) async throws(SecretStoreError) {
        try await seal(under: key, recovery: passphrases.map { .passphrase($0) })
    }
}

/// The code of the page about sealed sessions, as it shows it.
@Suite("Guides: a sealed session", .timeLimit(.minutes(5)))
struct SessionGuide {
    @Test("K-8: a session that is sealed, unlocked and locked, and a process in it")
    func session() async throws {
        let folder = try ScratchFolder()
        let path = "\(folder)/a.keystore"
        let configuration = KeystoreConfiguration(path: path, credential: .keyFile("\(folder)/a.key"))
        let (key, passphrase) = (SecretBytes(randomCount: 32), SecretBytes(copying: "a way back".utf8))
        let environment = ["XDG_RUNTIME_DIR": "\(folder)"]
        let name = try SecretName("item", in: SecretNamespace("default"))
        let generation: UInt64 = 1

        let store = try await GcryptKeystore.open(configuration)
        try await store.write(SecretBytes(copying: [7]), to: name, accessibility: .whenUnlocked)
        let seal = try SessionSeal(of: store, recovery: passphrase, at: path, environment: environment)
        seal.lock(for: generation)  // locked: the agent gives no byte more
        try await seal.open(with: key, for: generation)  // the key of the right passcode: `UnlockProof.key`
        seal.admit(for: generation)  // the session is unlocked
        let variables = [SessionAgent.variable: seal.agent.socket]  // for the environment of its processes

        try await process(configuration, path, variables, name)
        seal.lock(for: 2)
        await #expect(throws: SecretStoreError.self) {
            try await process(configuration, path, variables, name)
        }
        seal.end()
        await seal.agent.stop()
        // The day when the passcode is forgotten.
        try await store.unseal(with: .recovery(passphrase))
        #expect(try await store.read(name)?.value.count == 1)
    }

    /// What another process does.
    private func process(
        _ configuration: KeystoreConfiguration,
        _ path: String,
        _ variables: [String: String],
        _ name: SecretName
    ) async throws {
        let store = try await GcryptKeystore.open(configuration)
        let session = SessionStore(store, at: path, environment: variables)
        let found = try await session.read(name)
        #expect(found?.value.count == 1)
    }
}
