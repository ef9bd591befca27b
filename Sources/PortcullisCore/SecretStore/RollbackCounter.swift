/// A number that only rises and is kept outside of a store. A ``RollbackAnchor`` may have such a counter
/// besides its records.
///
/// The store includes the number in the MAC of its records. The store raises the number with each change for
/// which ``counts(_:)`` is `true`. The store thus detects a missing record, a record from before the latest
/// rise, and a counter that was deleted and made again. It detects these even if an attacker can overwrite
/// the records.
///
/// ## For callers
/// - Hold the store's lock during ``setUp(for:)`` and ``raise(_:store:)``, and read the record and the
///   counter again after the lock was taken. If the counter were raised twice for one record, the store would
///   be refused for good as rolled back.
///
/// ## For implementers
/// - ``setUp(for:)`` and ``raise(_:store:)`` change nothing after they have returned or thrown, because the caller
///   then frees its lock.
/// - Calls block. The calling thread and process can change from call to call, as for ``RollbackAnchor``.
/// - If a counter is deleted and made again, the new counter starts above all values of the old one. If the
///   adapter cannot guarantee this, ``value(of:store:)`` returns `nil` instead of the new counter's number.
public protocol RollbackCounter: Sendable {
    /// Whether a change for this reason raises the counter. A counter that wears out should not count
    /// frequent changes.
    func counts(_ reason: AnchorReason) -> Bool

    /// Makes the counter of a store, or finds the counter that was made for the store before.
    ///
    /// - Parameter store: the store's id, 16 bytes.
    /// - Returns: the counter's handle, for ``value(of:store:)`` and ``raise(_:store:)``; never 0.
    /// - Throws: ``SecretStoreError``: ``SecretStoreErrorCode/unavailable`` if the counter cannot be set up.
    func setUp(for store: [UInt8]) throws(SecretStoreError) -> UInt32

    /// Returns the counter's number; `nil` if the counter no longer exists or belongs to another store.
    ///
    /// - Throws: ``SecretStoreError``: ``SecretStoreErrorCode/unavailable`` if the counter cannot be read.
    func value(of counter: UInt32, store: [UInt8]) throws(SecretStoreError) -> UInt64?

    /// Raises the number by one, durably.
    ///
    /// - Throws: the errors of ``value(of:store:)``.
    func raise(_ counter: UInt32, store: [UInt8]) throws(SecretStoreError)
}
