public import PortcullisCore

/// A store whose `whenUnlocked` items can be sealed. The sealed items can then be read only with a key or a
/// recovery passphrase.
///
/// All other items, and the names of all items, can be read as before. An adapter whose store can be sealed
/// conforms to this port. ``SessionSeal`` and ``SessionStore`` need nothing else from a store.
///
/// ## For implementers
/// - Whether a store is sealed is a property of the store, and the same for all processes. Whether its
///   `whenUnlocked` class is locked is a property of each process: ``lock()`` and ``unlock(with:)`` affect
///   only the caller's process.
/// - While the class is locked, reading and writing an item of the class throws `classLocked`. A locked item
///   never counts as missing.
/// - After sealing, a sealed value cannot be read without the key, not even from bytes that were written to
///   the store before.
/// - ``unlock(with:)``, ``seal(under:recoverableWith:)`` and ``unseal()`` first read the changes of other
///   processes. So ``isSealed`` is up to date even if one of these three calls fails.
/// - If ``lock()`` is called during a call of ``unlock(with:)``, the class is locked when both calls have
///   ended.
public protocol SealableSecretStore: TransactionalSecretStore {
    /// Whether the store is sealed, as far as this process knows. Another process may have sealed or unsealed
    /// the store since this process read it last.
    var isSealed: Bool { get }

    /// Drops the key of the sealed items from this process at once. The call neither waits nor fails.
    func lock()

    /// Unlocks the `whenUnlocked` class in this process.
    ///
    /// - Parameter opener: the key or passphrase that the store was sealed under. A store that is not sealed
    ///   may refuse the opener.
    /// - Throws: `wrongKey` if the opener does not open the store (the class then stays locked or unlocked,
    ///   as it was); `classLocked` if ``lock()`` was called during the call; the store's errors for a failed
    ///   read.
    func unlock(with opener: SealOpener) async throws(SecretStoreError)

    /// Seals the `whenUnlocked` class durably. The class stays unlocked in this process. But if ``lock()`` is
    /// called during the sealing, the class is locked afterwards.
    ///
    /// - Parameters:
    ///   - key: 32 bytes, such as the key that a passcode opens.
    ///   - passphrases: recovery passphrases. If the key is lost, each of them opens the store too.
    /// - Throws: `classLocked` while the class is locked, so that a sealed store cannot be sealed again
    ///   without its key; `durabilityUnknown` if it is not known whether the store is sealed; the store's
    ///   errors for a failed read or write.
    func seal(
        under key: SecretBytes,
        recoverableWith passphrases: [SecretBytes]
    ) async throws(SecretStoreError)

    /// Unseals the class durably. Afterwards, every credential that opens the store opens all its items, as
    /// it did before the sealing.
    ///
    /// - Throws: `classLocked` while the class is locked; the store's errors for a failed read or write.
    func unseal() async throws(SecretStoreError)
}

/// A secret that opens a sealed store.
public enum SealOpener: Sendable {
    /// The key of 32 bytes that the store was sealed under.
    case key(SecretBytes)
    /// A recovery passphrase that the store was sealed under.
    case recovery(SecretBytes)
}

extension SealableSecretStore {
    /// Opens a sealed store, then unseals it.
    ///
    /// - Parameter opener: the key or passphrase that the store was sealed under.
    /// - Throws: `wrongKey` if the opener does not open the store, which stays sealed; the other errors of
    ///   ``unlock(with:)`` and ``unseal()``.
    public func unseal(with opener: SealOpener) async throws(SecretStoreError) {
        try await unlock(with: opener)
        try await unseal()
    }
}
