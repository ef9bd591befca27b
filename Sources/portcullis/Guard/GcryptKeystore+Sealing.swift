public import GcryptKeystore
public import PortcullisCore
public import SealedSession

/// A session can seal the keystore. The conformance is public, because both the type and the protocol are public.
extension GcryptKeystore: SealableSecretStore {
    /// Unseals the store with the key or passphrase under which it was sealed.
    public func unlock(with opener: SealOpener) async throws(SecretStoreError) {
        switch opener {
        case .key(let key): try await unlock(with: KeystoreCredential.rawKey(key))
        case .recovery(let passphrase): try await unlock(with: KeystoreCredential.passphrase(passphrase))
        }
    }

    /// Seals the store under the key and under each passphrase.
    public func seal(
        under key: SecretBytes,
        recoverableWith passphrases: [SecretBytes]
    ) async throws(SecretStoreError) {
        try await seal(under: key, recovery: passphrases.map { .passphrase($0) })
    }
}
