public import PortcullisCore

/// Error codes that only a store in a file has.
extension SecretStoreErrorCode {
    /// The store is there, but its key file is not; a new key is never made for an existing store.
    public static let keyMissing = Self("gcryptKeystore.keyMissing", like: .wrongKey)
    /// A file is a symbolic link, belongs to another user, or is open to other users.
    public static let untrustedFile = Self("gcryptKeystore.untrustedFile", like: .notPermitted)
    /// There is no store at the given place, and none was to be created.
    public static let missingStore = Self("gcryptKeystore.missingStore", like: .unavailable)
    /// The unlock slot named does not exist, cannot be removed, or does not fit.
    public static let invalidSlot = Self("gcryptKeystore.invalidSlot", like: .systemFailure)
}
