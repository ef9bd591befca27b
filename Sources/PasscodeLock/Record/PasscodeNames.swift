public import PortcullisCore

/// The names under which the passcode lock keeps its items, for those who share a store with it.
public enum PasscodeNames: Sendable {
    /// The namespace of passcode records: one item per user.
    public static let records = SecretNamespace.library("passcode")
    /// The namespace of the notes that a user was asked to set a passcode, kept apart from the records.
    public static let asked = SecretNamespace.library("asked")

    /// The name of a user's record.
    public static func record(of user: UserID) -> SecretName { SecretName(user, in: records) }

    /// The name of the note that a user was asked.
    public static func asked(_ user: UserID) -> SecretName { SecretName(user, in: asked) }
}
