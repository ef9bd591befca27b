public import PortcullisCore

/// A store whose `whenUnlocked` items can be sealed: from then on the store alone does not give them, only a key or a
/// recovery passphrase does.
///
/// All that is not `whenUnlocked`, and the names of all items, are read as ever. An adapter of a store that can do so
/// conforms to this port; ``SessionSeal`` and ``SessionStore`` know nothing else of it.
///
/// ## For implementers
/// - Whether a store is sealed is a property of the store, for all processes that have it open. Whether its
///   `whenUnlocked` class is locked is each process's own: ``lock()`` and ``unlock(with:)`` concern the caller's.
/// - While the class is locked, reading and writing such an item throws `classLocked`; it is never "no such item".
/// - After sealing, no byte of the store's that was written before gives a sealed value without the key.
/// - ``unlock(with:)``, ``seal(under:recoverableWith:)`` and ``unseal()`` learn first what other processes did: after one
///   of them has failed ``isSealed`` is up to date.
/// - ``lock()`` wins over a call of ``unlock(with:)`` that began before it, whenever that ends.
public protocol SealableSecretStore: TransactionalSecretStore {
    /// Whether the store is sealed, as far as this process knows: another one may have sealed or unsealed it since.
    var isSealed: Bool { get }

    /// Drops the key of what is sealed from this process at once; it neither waits nor fails.
    func lock()

    /// Brings the `whenUnlocked` class back to this process.
    ///
    /// - Parameter opener: what the store was sealed under; on a store that is not sealed it may be refused.
    /// - Throws: `wrongKey` when it does not open the store, and the class stays as it is; `classLocked` when ``lock()``
    ///   was called meanwhile; the codes of an unusable store.
    func unlock(with opener: SealOpener) async throws(SecretStoreError)

    /// Seals the `whenUnlocked` class, durably; in this process it stays unlocked unless ``lock()`` is called meanwhile.
    ///
    /// - Parameters:
    ///   - key: 32 bytes, such as the key that a passcode opens.
    ///   - passphrases: each opens the store as the key does, for the day when that is lost.
    /// - Throws: `classLocked` while the class is locked, which keeps a sealed store from being sealed anew without its
    ///   key; `durabilityUnknown` when the store may be sealed or not; the codes of an unusable store.
    func seal(
        under key: SecretBytes,
        recoverableWith passphrases: [SecretBytes]
    ) async throws(SecretStoreError)

    /// Takes the seal off, durably: what opens the store opens all of it, as before it was sealed.
    ///
    /// - Throws: `classLocked` while the class is locked; the codes of an unusable store.
    func unseal() async throws(SecretStoreError)
}

/// What opens a sealed store.
public enum SealOpener: Sendable {
    /// The key of 32 bytes that it was sealed under.
    case key(SecretBytes)
    /// A passphrase that it was sealed under beside the key.
    case recovery(SecretBytes)
}

extension SealableSecretStore {
    /// Opens a sealed store and takes the seal off.
    ///
    /// - Parameter opener: what it was sealed under.
    /// - Throws: `wrongKey` when it does not open the store, which stays sealed; what ``unlock(with:)`` and ``unseal()``
    ///   throw otherwise.
    public func unseal(with opener: SealOpener) async throws(SecretStoreError) {
        try await unlock(with: opener)
        try await unseal()
    }
}
