public import PortcullisCore

/// The names of the items that the passcode lock keeps in a store, for other code that uses the same store.
public enum PasscodeNames: Sendable {
    /// The namespace of passcode records: one item per user.
    public static let records = SecretNamespace.library("passcode")
    /// The namespace of the items that record whether a user was asked to set a passcode. The passcode
    /// records are in another namespace.
    public static let asked = SecretNamespace.library("asked")

    /// The name of a user's record.
    public static func record(of user: UserID) -> SecretName { SecretName(user, in: records) }

    /// The name of the item that exists once the app has asked a user to set a passcode.
    public static func asked(_ user: UserID) -> SecretName { SecretName(user, in: asked) }
}
