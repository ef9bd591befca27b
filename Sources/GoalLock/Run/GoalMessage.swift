public import PortcullisCore

/// What a run of the goal lock has to say.
public enum GoalMessage: Sendable, Hashable {
    /// What something that went wrong is about.
    public enum Subject: String, Sendable, Hashable {
        /// The progress cannot be read.
        case progress
        /// The lock's own state or back ends.
        case lock
        /// The shield.
        case shield
    }

    /// The lock changed.
    case status(GoalView)
    /// A new day began, and with it a new count.
    case day(CivilDate)
    /// An app was started while the lock was so, and is shut.
    case started(GoalStart, GoalView)
    /// Something went wrong, and is told once.
    case problem(Subject, String)
    /// It is all right again.
    case solved(Subject)
    /// What the progress was read of is this date and not the present one, which nothing counts for yet.
    case stale(CivilDate, today: CivilDate)
    /// What is read is of the present date again.
    case current
    /// The run is over.
    case ended(GoalEnding)
}

/// The start of an app that is shut.
public struct GoalStart: Sendable, Hashable {
    /// The app's token.
    public var token: String
    /// What a person calls it.
    public var label: String
    /// Whether it did not even begin, rather than was stopped right after.
    public var isDenied: Bool

    /// A start of an app.
    public init(token: String, label: String, isDenied: Bool) {
        self.token = token
        self.label = label
        self.isDenied = isDenied
    }
}

/// Why a run is over.
public enum GoalEnding: Sendable, Hashable {
    /// Today's goal is reached, and that was all that was asked for.
    case reached
    /// The lock was switched off, here or elsewhere.
    case released
    /// No more progress will come.
    case inputEnded
    /// The host asked for it, with a number of its own, such as a signal's.
    case signal(Int32)
    /// The task of the run was cancelled.
    case cancelled
}
