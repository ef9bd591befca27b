/// A number outside of a store that only rises, and that a ``RollbackAnchor`` may have besides what it keeps.
///
/// The store puts the number under the MAC of each record that is kept for a reason that counts. A record from before the
/// number rose, one that is missing, and a number that was begun anew are then noticed, even where the attacker can write to
/// wherever the records are kept.
///
/// ## For implementers
/// - Calls block, and come from changing threads and processes, as those of ``RollbackAnchor`` do.
/// - A counter that was deleted and made again goes on above every value that it had; otherwise it must not be found.
public protocol RollbackCounter: Sendable {
    /// Whether a change for this reason is to be counted. A counter that wears leaves out what is frequent.
    func counts(_ reason: AnchorReason) -> Bool

    /// Makes the counter of a store, or finds the one that was made before.
    ///
    /// - Parameter store: the store's id, 16 bytes.
    /// - Returns: where it is, which ``value(of:store:)`` takes; never 0.
    /// - Throws: ``SecretStoreError``: ``SecretStoreErrorCode/unavailable``.
    func setUp(for store: [UInt8]) throws(SecretStoreError) -> UInt32

    /// The number now; `nil` where there is no such counter any more, or it is not the store's.
    ///
    /// - Throws: ``SecretStoreError``: ``SecretStoreErrorCode/unavailable`` where that cannot be told.
    func value(of counter: UInt32, store: [UInt8]) throws(SecretStoreError) -> UInt64?

    /// Raises the number by one, durably.
    ///
    /// - Throws: as ``value(of:store:)`` does.
    func raise(_ counter: UInt32, store: [UInt8]) throws(SecretStoreError)
}
