/// Starts and ends named activities at their times of day.
///
/// ## For callers
/// - An event may arrive in another process than the one that started the activity; handle it from the name
///   alone.
/// - Starting an activity under a name in use replaces its schedule.
///
/// ## For implementers
/// - Starting inside an interval fires ``ActivityEvent/Kind/intervalDidStart`` at once; stopping inside one fires
///   ``ActivityEvent/Kind/intervalDidEnd``; an end always comes before the next start of that activity.
/// - Events of one activity arrive in order, each exactly once to each taker of ``events()``.
/// - Times are wall times of the person's zone; days of 23 and 25 hours are days.
public protocol ActivityScheduler: Sendable {
    /// Starts watching over an activity.
    ///
    /// - Throws: ``ActivitySchedulerError`` when the schedule is refused.
    func start(_ activity: ActivityName, schedule: ActivitySchedule) async throws(ActivitySchedulerError)

    /// Stops these activities; names that are not watched over are passed by.
    func stop(_ activities: Set<ActivityName>) async

    /// What is watched over, with the wall time of the next event where it is known (since 1970-01-01T00:00:00Z).
    func monitored() async -> [ActivityName: MonitoredActivity]

    /// The events from now on, until the stream is dropped.
    func events() -> AsyncStream<ActivityEvent>
}

/// The name of an activity.
public struct ActivityName: Hashable, Sendable, Codable {
    /// The text of the name.
    public let rawValue: String
    /// An activity of this name.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// A time of day by the clock on the wall.
public struct TimeOfDay: Hashable, Sendable, Codable, Comparable {
    /// The hour, 0 to 23.
    public let hour: Int
    /// The minute, 0 to 59.
    public let minute: Int

    /// A time of day.
    ///
    /// - Returns: `nil` when a number is out of range.
    public init?(hour: Int, minute: Int) {
        guard (0...23).contains(hour), (0...59).contains(minute) else { return nil }
        self.hour = hour
        self.minute = minute
    }

    /// Earlier before later.
    public static func < (left: Self, right: Self) -> Bool {
        (left.hour, left.minute) < (right.hour, right.minute)
    }
}

/// When an activity takes place.
public struct ActivitySchedule: Hashable, Sendable, Codable {
    /// When its interval starts.
    public var start: TimeOfDay
    /// When its interval ends; before `start` it means the next day.
    public var end: TimeOfDay
    /// Whether it takes place every day or once.
    public var repeats: Bool
    /// How long before the end a warning comes; `nil`: none.
    public var warning: Duration?

    /// A schedule of these parts.
    public init(start: TimeOfDay, end: TimeOfDay, repeats: Bool, warning: Duration? = nil) {
        self.start = start
        self.end = end
        self.repeats = repeats
        self.warning = warning
    }
}

/// An activity that is watched over.
public struct MonitoredActivity: Hashable, Sendable {
    /// Its schedule.
    public var schedule: ActivitySchedule
    /// The wall time of its next event, where it is known.
    public var nextEvent: Duration?

    /// An activity of these parts.
    public init(schedule: ActivitySchedule, nextEvent: Duration?) {
        self.schedule = schedule
        self.nextEvent = nextEvent
    }
}

/// What an ``ActivityScheduler`` reports.
public struct ActivityEvent: Hashable, Sendable {
    /// The kinds of event.
    public enum Kind: Hashable, Sendable {
        /// The interval began, or the activity was started inside it.
        case intervalDidStart
        /// The interval ended, or the activity was stopped inside it.
        case intervalDidEnd
        /// The interval ends soon.
        case intervalWillEndWarning
    }

    /// The activity.
    public var activity: ActivityName
    /// What happened.
    public var kind: Kind
    /// The wall time it was meant for, since 1970-01-01T00:00:00Z.
    public var scheduled: Duration

    /// An event of these parts.
    public init(activity: ActivityName, kind: Kind, scheduled: Duration) {
        self.activity = activity
        self.kind = kind
        self.scheduled = scheduled
    }
}

/// Why an ``ActivityScheduler`` refused.
public struct ActivitySchedulerError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure, open for more.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String, Hashable, Sendable { case invalidSchedule, unavailable, systemFailure }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The schedule can never take place.
        public static let invalidSchedule = Code(.invalidSchedule)
        /// No scheduler was configured.
        public static let unavailable = Code(.unavailable)
        /// The platform failed; the message says how.
        public static let systemFailure = Code(.systemFailure)

        /// The name of the code.
        public var description: String { kind.rawValue }
    }

    /// What kind of failure.
    public let code: Code
    /// One sentence for people.
    public let message: String

    /// An error of this kind.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// Code and message on one line.
    public var description: String { "\(code): \(message)" }
}
