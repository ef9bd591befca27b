public import PortcullisCore

/// The names that the goal lock uses, for those who share a store, a shield controller or a scheduler with it.
public enum GoalNames: Sendable {
    /// The namespace of the goal lock's state.
    public static let records = SecretNamespace.library("goal")
    /// The one item that holds all of it.
    public static let record = SecretName(.device, in: records)
    /// The namespace of the note that the feature was introduced, kept apart from the state.
    public static let notes = SecretNamespace.library("introduced")
    /// The note that the feature was introduced.
    public static let introduced = SecretName(.device, in: notes)
    /// Whose passcode guards the lock, where it is another user's than the device's: ``GoalGate``.
    public static let guardian = SecretName(.device, in: .library("guardian"))
    /// The last release by force: ``ForcedReleaseNote``.
    public static let forcedRelease = SecretName(.device, in: .library("forced"))
    /// The shield over the chosen apps.
    public static let shield = ShieldName("portcullis.goal")
    /// The activity that takes place every day.
    public static let activity = ActivityName("portcullis.goal.day")
    /// The notification that tells of the unlocked apps.
    public static let unlocked = "portcullis.goal.unlocked"
    /// The notification that tells that the lock's state cannot be understood.
    public static let damaged = "portcullis.goal.damaged"
}
