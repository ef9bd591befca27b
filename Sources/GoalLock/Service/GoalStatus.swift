public import PortcullisCore

/// The goal lock at an instant.
public struct GoalStatus: Sendable, Hashable {
    /// Why shields are down.
    public enum Reason: Sendable, Hashable {
        /// The lock is off.
        case disabled
        /// The feature is not paid for, or no longer.
        case notEntitled
        /// Apps may not be shielded, or no longer; the text tells how to allow it, where that is known.
        case notAuthorized(howToAllow: String?)
        /// No app and no category is chosen.
        case nothingSelected
        /// Today's goal was reached.
        case reached
    }

    /// Whether the lock is on.
    public var isEnabled: Bool
    /// Whether the feature is paid for.
    public var isEntitled: Bool
    /// Why shields are down; `nil` while they are up.
    public var reason: Reason?
    /// What is chosen.
    public var selection: ShieldSelection
    /// How far the person got today, in the unit of the host.
    public var progress: Double
    /// How far to get, in the same unit.
    public var goal: Double
    /// When days start.
    public var dayStart: TimeOfDay
    /// Today, as the lock counts days.
    public var date: CivilDate
    /// How long it is until the next day begins.
    public var untilNextDay: Duration
    /// Whether the progress could not be read when the host tried last, as
    /// ``GoalLockService/noteUnreadableProgress()`` told.
    public var isProgressUnreadable: Bool

    /// A status of these parts.
    public init(
        isEnabled: Bool,
        isEntitled: Bool,
        reason: Reason?,
        selection: ShieldSelection,
        progress: Double,
        goal: Double,
        dayStart: TimeOfDay,
        date: CivilDate,
        untilNextDay: Duration,
        isProgressUnreadable: Bool = false
    ) {
        self.isEnabled = isEnabled
        self.isEntitled = isEntitled
        self.reason = reason
        self.selection = selection
        self.progress = progress
        self.goal = goal
        self.dayStart = dayStart
        self.date = date
        self.untilNextDay = untilNextDay
        self.isProgressUnreadable = isProgressUnreadable
    }

    /// Whether shields are up.
    public var isShielded: Bool { reason == nil }

    init(_ record: GoalRecord, today: DayReading, in circumstances: GoalRules.Circumstances) {
        self.init(
            isEnabled: record.isEnabled,
            isEntitled: circumstances.isEntitled,
            reason: record.reasonToLift(on: today.date, in: circumstances),
            selection: record.selection,
            progress: record.progress,
            goal: record.goal,
            dayStart: record.dayStart,
            date: today.date,
            untilNextDay: today.left,
            isProgressUnreadable: record.isProgressUnreadable
        )
    }
}
