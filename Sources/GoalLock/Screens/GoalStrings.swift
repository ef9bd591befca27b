/// All texts of the goal lock, to be replaced for another language.
public struct GoalStrings: Sendable, Hashable {
    /// The texts of the specification.
    public static let english = GoalStrings()

    /// The texts of the specification, to be changed one by one.
    public init() {}

    /// Headline of the notification.
    public var unlockedTitle = "Apps Unlocked!"
    /// Text of the notification.
    public var unlockedText = "You reached your goal. Your apps are open for the rest of the day."
    /// Headline of the notification that the lock's state is damaged.
    public var damagedTitle = "App Lock needs your help"
    /// Text of the notification that the lock's state is damaged.
    public var damagedText =
        "Its state cannot be read, so your apps stay as they are. Open the app to release them."
}
