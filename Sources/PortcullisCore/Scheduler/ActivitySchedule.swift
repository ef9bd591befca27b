/// The name of an activity. Names are compared byte by byte.
public struct ActivityName: Sendable, Codable {
    /// The text of the name.
    public let rawValue: String
    /// Makes a name from a text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

extension ActivityName: Hashable {
    /// Whether the bytes are equal. Unicode equivalence does not count.
    public static func == (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.elementsEqual(right.rawValue.utf8)
    }

    /// Hashes the text. Names of the same bytes have the same hash.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: rawValue) }
}

extension ActivityName: ExpressibleByStringLiteral {
    /// Makes a name from a string literal.
    public init(stringLiteral text: String) { self.init(text) }
}

/// A time of day on the wall clock.
public struct TimeOfDay: Hashable, Sendable, Codable, Comparable {
    /// The hour, 0 to 23.
    public let hour: Int
    /// The minute, 0 to 59.
    public let minute: Int

    /// Makes a time of day.
    ///
    /// - Returns: `nil` when the hour is not 0 to 23 or the minute is not 0 to 59.
    public init?(hour: Int, minute: Int) {
        guard (0...23).contains(hour), (0...59).contains(minute) else { return nil }
        self.hour = hour
        self.minute = minute
    }

    /// Whether the left time of day is earlier than the right time of day.
    public static func < (left: Self, right: Self) -> Bool {
        (left.hour, left.minute) < (right.hour, right.minute)
    }
}

/// When an activity takes place.
public struct ActivitySchedule: Hashable, Sendable, Codable {
    /// The time at which the interval starts.
    public var start: TimeOfDay
    /// The time at which the interval ends. An end before `start` is on the next day. If the end equals
    /// `start`, the interval is a whole day and ends when the next interval starts.
    public var end: TimeOfDay
    /// Whether the activity takes place every day. If the value is `false`, the activity takes place once.
    public var repeats: Bool
    /// The time from a warning to the start or end of the interval; `nil` for no warnings. The value is more
    /// than zero and less than 24 hours. It is elapsed time, so a change to or from daylight-saving time does
    /// not affect it.
    ///
    /// If this time is longer than the interval, the warning before the end comes right after the start.
    public var warning: Duration?

    /// Makes a schedule from these parts.
    public init(start: TimeOfDay, end: TimeOfDay, repeats: Bool, warning: Duration? = nil) {
        self.start = start
        self.end = end
        self.repeats = repeats
        self.warning = warning
    }

    /// Checks the rules that hold for all schedulers.
    ///
    /// - Throws: ``ActivitySchedulerErrorCode/invalidSchedule`` when the warning is zero or less, or 24
    ///   hours or more.
    public func validate() throws(ActivitySchedulerError) {
        guard let warning, warning <= .zero || warning >= .seconds(24 * 3_600) else { return }
        throw ActivitySchedulerError(
            code: .invalidSchedule,
            message: "a warning of \(warning) is not more than zero and less than 24 hours"
        )
    }

    /// Checks the rules that hold for all schedulers, and the rules that follow from one scheduler's
    /// capabilities.
    ///
    /// - Throws: the error of ``validate()``; ``ActivitySchedulerErrorCode/unsupported`` if the schedule has
    ///   a warning or a single interval, and the scheduler lacks the capability for it.
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

/// An activity that a scheduler monitors.
public struct MonitoredActivity: Hashable, Sendable {
    /// The activity's schedule.
    public var schedule: ActivitySchedule
    /// The wall time of the activity's next event since 1970-01-01T00:00:00Z; `nil` if the scheduler lacks
    /// the capability ``ActivitySchedulerCapabilities/tellsNextEvent``.
    public var nextEvent: Duration?

    /// Makes an activity from these parts.
    public init(schedule: ActivitySchedule, nextEvent: Duration?) {
        self.schedule = schedule
        self.nextEvent = nextEvent
    }
}
