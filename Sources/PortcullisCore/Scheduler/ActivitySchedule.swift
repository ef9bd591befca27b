/// The name of an activity.
public struct ActivityName: Hashable, Sendable, Codable {
    /// The text of the name.
    public let rawValue: String
    /// An activity of this name.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

extension ActivityName: ExpressibleByStringLiteral {
    /// An activity of the name that is written.
    public init(stringLiteral text: String) { self.init(text) }
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
    /// When its interval ends; before `start` it means the next day, and equal to `start` a whole day, whose end comes
    /// with the next start and before it.
    public var end: TimeOfDay
    /// Whether it takes place every day or once.
    public var repeats: Bool
    /// How long before the start and before the end a warning comes, in time that passes, whatever the clocks show;
    /// more than zero and less than 24 hours. `nil`: no warnings.
    ///
    /// Where it is longer than the interval, the end's warning comes right after the start.
    public var warning: Duration?

    /// A schedule of these parts.
    public init(start: TimeOfDay, end: TimeOfDay, repeats: Bool, warning: Duration? = nil) {
        self.start = start
        self.end = end
        self.repeats = repeats
        self.warning = warning
    }

    /// Refuses a schedule that no scheduler takes.
    ///
    /// - Throws: ``ActivitySchedulerErrorCode/invalidSchedule`` when the warning is not more than zero and less than
    ///   24 hours.
    public func validate() throws(ActivitySchedulerError) {
        guard let warning, warning <= .zero || warning >= .seconds(24 * 3_600) else { return }
        throw ActivitySchedulerError(
            code: .invalidSchedule,
            message: "a warning of \(warning) is not more than zero and less than 24 hours"
        )
    }

    /// Refuses a schedule that no scheduler takes, or none with these capabilities.
    ///
    /// - Throws: what ``validate()`` throws; ``ActivitySchedulerErrorCode/unsupported`` for a warning, or a single interval,
    ///   that is not among the capabilities.
    public func validate(
        for capabilities: ActivitySchedulerCapabilities
    ) throws(ActivitySchedulerError) {
        try validate()
        if warning != nil, !capabilities.contains(.givesWarnings) {
            throw ActivitySchedulerError(code: .unsupported, message: "this scheduler gives no warnings")
        }
        if !repeats, !capabilities.contains(.takesOneShots) {
            throw ActivitySchedulerError(code: .unsupported, message: "this scheduler repeats every activity")
        }
    }
}

/// An activity that is monitored.
public struct MonitoredActivity: Hashable, Sendable {
    /// Its schedule.
    public var schedule: ActivitySchedule
    /// The wall time of its next event since 1970-01-01T00:00:00Z, where the scheduler has
    /// ``ActivitySchedulerCapabilities/tellsNextEvent``.
    public var nextEvent: Duration?

    /// An activity of these parts.
    public init(schedule: ActivitySchedule, nextEvent: Duration?) {
        self.schedule = schedule
        self.nextEvent = nextEvent
    }
}
