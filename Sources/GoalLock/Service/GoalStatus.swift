public import PortcullisCore

/// The status of the goal lock at an instant.
public struct GoalStatus: Sendable, Hashable {
    /// The reason why the shield is down.
    public enum Reason: Sendable, Hashable {
        /// The lock is off.
        case disabled
        /// The feature is not paid for, or is no longer paid for.
        case notEntitled
        /// The app has no permission to shield apps, or has lost it. The text explains how to give the
        /// permission, if that is known.
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
    /// The reason why the shield is down; `nil` while it is up.
    public var reason: Reason?
    /// The chosen apps and categories.
    public var selection: ShieldSelection
    /// Today's progress, in the host's unit.
    public var progress: Double
    /// The goal, in the host's unit.
    public var goal: Double
    /// The time at which days start.
    public var dayStart: TimeOfDay
    /// Today's date. The date changes at the lock's start of days, which need not be midnight.
    public var date: CivilDate
    /// The time until the next day begins.
    public var untilNextDay: Duration
    /// Whether the host's last attempt to read the progress failed; see
    /// ``GoalLockService/noteUnreadableProgress()``.
    public var isProgressUnreadable: Bool
    /// The user id of the guardian, as the state names it. See ``GoalRecord/guardian``.
    package var guardian: String?

    /// Makes a status.
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

    /// Whether the shield is up.
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
        guardian = record.guardian
    }
}
