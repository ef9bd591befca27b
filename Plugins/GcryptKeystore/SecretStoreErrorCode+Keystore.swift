public import PortcullisCore

/// Error codes that only a store in a file has.
extension SecretStoreErrorCode {
    /// The store exists, but its key file does not. A new key is never made for an existing store.
    public static let keyMissing = Self("gcryptKeystore.keyMissing", like: .wrongKey)
    /// A file or folder is not safe to use, for example because other users own it or can open it.
    public static let untrustedFile = Self("gcryptKeystore.untrustedFile", like: .notPermitted)
    /// No store exists at the path, and the configuration does not allow making one.
    public static let missingStore = Self("gcryptKeystore.missingStore", like: .unavailable)
    /// The slot does not exist, cannot be removed, or would exceed a limit.
    public static let invalidSlot = Self("gcryptKeystore.invalidSlot", like: .systemFailure)
}
