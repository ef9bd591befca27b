public import PortcullisCore

/// A message that a run of the goal lock reports.
public enum GoalMessage: Sendable, Hashable {
    /// The subject of a problem.
    public enum Subject: String, Sendable, Hashable {
        /// The progress, if it cannot be read.
        case progress
        /// The lock's state, or a port that the lock uses.
        case lock
        /// The shield.
        case shield
    }

    /// The lock's status changed.
    case status(GoalView)
    /// A new day began. The progress starts at zero.
    case day(CivilDate)
    /// A shut app was started. The view shows the lock at that time.
    case started(GoalStart, GoalView)
    /// A problem occurred. It is reported once.
    case problem(Subject, String)
    /// The problem is solved.
    case solved(Subject)
    /// The progress that was read belongs to this date, not to today. It does not count for today.
    case stale(CivilDate, today: CivilDate)
    /// The progress that is read belongs to today again.
    case current
    /// The run is over.
    case ended(GoalEnding)
}

/// The start of a shut app.
public struct GoalStart: Sendable, Hashable {
    /// The app's token.
    public var token: String
    /// The app's label.
    public var label: String
    /// Whether the start was denied. Otherwise the app was stopped right after it started.
    public var isDenied: Bool

    /// Makes the description of a start from these parts.
    public init(token: String, label: String, isDenied: Bool) {
        self.token = token
        self.label = label
        self.isDenied = isDenied
    }
}

/// The reason why a run ended.
public enum GoalEnding: Sendable, Hashable {
    /// Today's goal was reached, and the shield is down. The run was started only to wait for this goal.
    case reached
    /// The lock was switched off, by this process or another, and the shield is down.
    case released
    /// The source of progress has ended.
    case inputEnded
    /// The host ended the run. The host chooses the number, for example a signal's number.
    case signal(Int32)
    /// The task of the run was cancelled.
    case cancelled
}
