/// Tells the time, as wall clock, boot clock and calendar, and wakes sleepers.
///
/// ## For callers
/// - ``now`` is cheap and never blocks; persist what it returns, not a part of it.
/// - A sleeper on ``ClockDeadline/sinceBoot(_:)`` wakes when that much time has passed, also over a suspend; one
///   on ``ClockDeadline/wall(_:)`` wakes when the wall clock shows that time, also when it was moved there.
///
/// ## For implementers
/// - Wall and boot clock are read together; ``Moment/sinceBoot`` never goes back within one boot and counts
///   suspended time.
/// - A deadline that has passed returns at once. A cancelled sleep throws `CancellationError` at once. A sleep
///   may be late, never early.
public protocol LockClock: Sendable {
    /// The present moment.
    var now: Moment { get }

    /// Whether the system says that its wall clock is synchronised with a time source.
    var isSynchronised: Bool { get }

    /// The present time zone's IANA name, such as `Europe/Zurich`.
    var zone: String { get }

    /// Waits until the deadline.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    func sleep(until deadline: ClockDeadline) async throws(CancellationError)

    /// The calendar day that holds a wall time, in the present zone.
    ///
    /// The day of a date begins at the first instant whose local time is `dayStart` on that date or later: inside a
    /// gap that is the gap's end, inside an overlap the first of the two, and a date that the zone skipped begins
    /// and ends where the next one begins.
    ///
    /// - Parameters:
    ///   - wall: time since 1970-01-01T00:00:00Z.
    ///   - dayStart: how long after midnight by the clock on the wall the day begins, 0 to 24 hours.
    func civilDate(at wall: Duration, dayStart: Duration) -> CivilDate

    /// The wall time at which the day of a date begins, in the present zone.
    ///
    /// - Parameters:
    ///   - date: the date; see ``civilDate(at:dayStart:)`` for one that the zone skipped.
    ///   - dayStart: how long after midnight by the clock on the wall the day begins, 0 to 24 hours.
    /// - Returns: time since 1970-01-01T00:00:00Z.
    func start(of date: CivilDate, dayStart: Duration) -> Duration

    /// The wall time at which the day after the one that holds `wall` begins: what the calendar says, not 24
    /// hours added.
    ///
    /// - Parameters:
    ///   - wall: time since 1970-01-01T00:00:00Z.
    ///   - dayStart: how long after midnight by the clock on the wall the day begins, 0 to 24 hours.
    func nextDayStart(after wall: Duration, dayStart: Duration) -> Duration

    /// A notice each time the wall clock was set or the time zone changed, until the stream is dropped.
    func notices() -> AsyncStream<ClockNotice>
}

/// When a sleeper of a ``LockClock`` wakes.
public enum ClockDeadline: Hashable, Sendable {
    /// When the boot clock reaches this.
    case sinceBoot(Duration)
    /// When the wall clock reaches this time since 1970-01-01T00:00:00Z.
    case wall(Duration)
}

/// What a ``LockClock`` reports.
public enum ClockNotice: Hashable, Sendable {
    /// The wall clock was set.
    case wallClockSet
    /// The time zone is another one.
    case zoneChanged
}

/// A date of the proleptic Gregorian calendar, without time and zone.
public struct CivilDate: Hashable, Sendable, Codable, Comparable, CustomStringConvertible {
    /// The year; 0 is 1 BC.
    public var year: Int
    /// The month, 1 to 12.
    public var month: Int
    /// The day of the month, 1 to 31.
    public var day: Int

    /// A date of these numbers, which are not checked.
    public init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// ISO 8601: `2026-11-21`.
    public var description: String {
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number.magnitude)
            return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - digits.count))
                + digits
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }

    /// Earlier before later.
    public static func < (left: Self, right: Self) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}
