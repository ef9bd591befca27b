/// A number outside of a store that only rises. A ``RollbackAnchor`` may have one besides its records.
///
/// The store puts the number under the MAC of its records, and raises it with each change whose reason counts. The
/// store then notices a missing record, a record from before the number last rose, and a counter that was made anew. It
/// does so even if the attacker can write to the place of the records.
///
/// ## For implementers
/// - Calls block. The calling thread and process can change from call to call, as for ``RollbackAnchor``.
/// - A counter that was deleted and made again starts above all its earlier values, or is not found.
public protocol RollbackCounter: Sendable {
    /// Whether a change for this reason raises the counter. A counter that wears out leaves out frequent changes.
    func counts(_ reason: AnchorReason) -> Bool

    /// Makes the counter of a store, or finds the one that was made before.
    ///
    /// - Parameter store: the store's id, 16 bytes.
    /// - Returns: the counter's handle, for ``value(of:store:)`` and ``raise(_:store:)``; never 0.
    /// - Throws: ``SecretStoreError``: ``SecretStoreErrorCode/unavailable`` if the counter cannot be set up.
    func setUp(for store: [UInt8]) throws(SecretStoreError) -> UInt32

    /// Returns the counter's number; `nil` if the counter no longer exists or belongs to another store.
    ///
    /// - Throws: ``SecretStoreError``: ``SecretStoreErrorCode/unavailable`` if the counter cannot be asked.
    func value(of counter: UInt32, store: [UInt8]) throws(SecretStoreError) -> UInt64?

    /// Raises the number by one, durably.
    ///
    /// - Throws: the errors of ``value(of:store:)``.
    func raise(_ counter: UInt32, store: [UInt8]) throws(SecretStoreError)
}
