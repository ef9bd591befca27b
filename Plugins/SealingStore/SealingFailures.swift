internal import Gcrypt
public import PortcullisCore

extension SecretStoreErrorCode {
    /// The underlying store holds no sealing keys yet, and the caller did not ask `open` to make them.
    public static let sealingNotSetUp = Self("sealingStore.notSetUp", like: .unavailable)
    /// Another client uses the same anchor. For example, an earlier process has not ended yet.
    public static let anchorInUse = Self("sealingStore.anchorInUse", like: .lockTimeout)
}

extension SecretStoreError {
    static func sealing(_ failure: GcryptFailure) -> SecretStoreError {
        SecretStoreError(
            code: .systemFailure,
            message: "libgcrypt could not seal, open or digest",
            cause: failure
        )
    }

    static func damaged(_ what: String) -> SecretStoreError {
        SecretStoreError(code: .damaged, message: what)
    }

    static var otherCountBelow: SecretStoreError {
        .damaged("the store below returned another number of items")
    }

    /// The underlying store has given two values for one number or version.
    static var twoValues: SecretStoreError {
        .rolledBack("the store below had two values with one number or version for an item")
    }

    static func rolledBack(_ what: String) -> SecretStoreError {
        SecretStoreError(code: .rolledBack, message: what)
    }
}
