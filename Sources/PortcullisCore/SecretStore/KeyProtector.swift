/// Uses hardware to protect a key of a store. The key can be read only with this hardware.
///
/// The protected key is no secret and is stored beside the store. Without the protector's hardware it is of
/// no use.
///
/// ## For implementers
/// - Every later instance on the same hardware can release a protected key. An instance on other hardware
///   cannot.
/// - ``release(_:)`` throws if the protected key was altered, or if other hardware protected the key. It
///   never returns a wrong key.
/// - Let calls wait for the hardware on your own threads, never on Swift's shared pool.
public protocol KeyProtector: Sendable {
    /// Protects a key.
    ///
    /// - Parameter key: the key, 32 bytes.
    /// - Returns: the protected key, for ``release(_:)``.
    /// - Throws: ``SecretStoreError``: ``SecretStoreErrorCode/unavailable`` if the hardware cannot be used. The cause
    ///   is then a ``PasscodeSealerError`` with a code of ``PasscodeSealerErrorCode/ofHardware``.
    func protect(_ key: SecretBytes) async throws(SecretStoreError) -> [UInt8]

    /// Releases a key.
    ///
    /// - Parameter protected: the protected key, from ``protect(_:)``.
    /// - Throws: ``SecretStoreError``: ``SecretStoreErrorCode/wrongKey`` if other hardware protected the key,
    ///   ``SecretStoreErrorCode/damaged`` if the protected key was altered, and the errors of ``protect(_:)``.
    func release(_ protected: [UInt8]) async throws(SecretStoreError) -> SecretBytes
}
