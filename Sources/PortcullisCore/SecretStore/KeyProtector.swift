/// Keeps a key of a store outside of the store, so that it opens nowhere else.
///
/// What ``protect(_:)`` gives is no secret, and lies beside the store; without the protector's hardware it is of no use.
///
/// ## For implementers
/// - A key that was protected is released by every later instance on the same hardware, and by no other.
/// - What was altered, or is another's, releases nothing: it is an error, never another key.
/// - Calls wait for hardware on threads of your own, never on Swift's shared pool.
public protocol KeyProtector: Sendable {
    /// Protects a key.
    ///
    /// - Parameter key: 32 bytes.
    /// - Returns: what ``release(_:)`` takes.
    /// - Throws: ``SecretStoreError``: ``SecretStoreErrorCode/unavailable`` where the hardware cannot be used, with a
    ///   ``PasscodeSealerError`` with a code of ``PasscodeSealerErrorCode/ofHardware`` as its cause.
    func protect(_ key: SecretBytes) async throws(SecretStoreError) -> [UInt8]

    /// Releases a key.
    ///
    /// - Parameter protected: what ``protect(_:)`` gave.
    /// - Throws: ``SecretStoreError``: ``SecretStoreErrorCode/wrongKey`` where it is of other hardware,
    ///   ``SecretStoreErrorCode/damaged`` where it was altered; as ``protect(_:)`` does.
    func release(_ protected: [UInt8]) async throws(SecretStoreError) -> SecretBytes
}
