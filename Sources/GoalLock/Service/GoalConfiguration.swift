public import PortcullisCore

/// The initial settings and the texts of an app's goal lock.
public struct GoalConfiguration: Sendable {
    /// The goal until the person sets another goal, in the host's unit.
    public var goal: Double
    /// The time at which days start, until the person sets another time. It lies from 00:00 to 06:00
    /// inclusive.
    public var dayStart: TimeOfDay
    /// The goal's name on a shield, such as "Steps".
    public var title: String
    /// The texts.
    public var strings: GoalStrings

    /// Makes a configuration. By default days start at midnight and the texts are English.
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
