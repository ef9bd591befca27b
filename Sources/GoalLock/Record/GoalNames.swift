public import PortcullisCore

/// The names that the goal lock uses. Other code needs them if it uses the same store, shield controller or
/// scheduler.
public enum GoalNames: Sendable {
    /// The namespace of the goal lock's state.
    public static let records = SecretNamespace.library("goal")
    /// The item that holds the goal lock's whole state.
    public static let record = SecretName(.device, in: records)
    /// The namespace of the item ``introduced``. The lock's state is in another namespace, ``records``.
    public static let notes = SecretNamespace.library("introduced")
    /// The item that exists once the app has shown the introduction of the goal lock to the person.
    public static let introduced = SecretName(.device, in: notes)
    /// The item that holds the guardian, the user whose passcode guards the lock. The item counts while the
    /// lock is on and its state names no guardian, and while the state cannot be read. If the item is missing
    /// in these cases, the guardian is the device's user. See ``GoalGate``.
    public static let guardian = SecretName(.device, in: .library("guardian"))
    /// The item with the last forced release. See ``ForcedReleaseNote``.
    public static let forcedRelease = SecretName(.device, in: .library("forced"))
    /// The shield over the chosen apps.
    public static let shield = ShieldName("portcullis.goal")
    /// The activity that the scheduler starts each day.
    public static let activity = ActivityName("portcullis.goal.day")
    /// The id of the notification which reports that the apps are unlocked.
    public static let unlocked = "portcullis.goal.unlocked"
    /// The id of the notification which reports that the lock's state cannot be understood.
    public static let damaged = "portcullis.goal.damaged"
}
