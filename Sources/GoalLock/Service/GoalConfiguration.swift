public import PortcullisCore

/// How a goal lock begins in an app.
public struct GoalConfiguration: Sendable {
    /// The goal until the person sets another, in the host's unit.
    public var goal: Double
    /// When days start until the person sets another time: 00:00 to 06:00.
    public var dayStart: TimeOfDay
    /// What the goal is called on a shield, such as "Steps".
    public var title: String
    /// The texts.
    public var strings: GoalStrings

    /// A configuration; days start at midnight and the texts are English unless told otherwise.
    public init(
        goal: Double,
        dayStart: TimeOfDay? = nil,
        title: String,
        strings: GoalStrings = .english
    ) {
        self.goal = goal
        self.dayStart = dayStart ?? .midnight
        self.title = title
        self.strings = strings
    }
}
