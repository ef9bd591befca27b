public import GcryptKeystore
public import PortcullisCore
public import SealedSession

/// The keystore as a session seals it. Both are public, and so is that one is the other.
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
