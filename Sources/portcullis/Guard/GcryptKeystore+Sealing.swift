public import GcryptKeystore
public import PortcullisCore
public import SealedSession

/// Lets a session of `portcullis guard` seal the keystore. The conformance is public, because both the type
/// and the protocol are public.
extension GcryptKeystore: SealableSecretStore {
    /// Unlocks the sealed items in this process, with the key or a passphrase under which the store was
    /// sealed. The store's file stays sealed.
    public func unlock(with opener: SealOpener) async throws(SecretStoreError) {
        switch opener {
        case .key(let key): try await unlock(with: KeystoreCredential.rawKey(key))
        case .recovery(let passphrase): try await unlock(with: KeystoreCredential.passphrase(passphrase))
        }
    }

    /// Seals the store. Afterwards the key opens the sealed items, and so does each passphrase.
    public func seal(
        under key: SecretBytes,
        recoverableWith passphrases: [SecretBytes]
    ) async throws(SecretStoreError) {
        try await seal(under: key, recovery: passphrases.map { .passphrase($0) })
    }
}
