/// Tells the time by the wall clock, the boot clock and the calendar, and lets tasks sleep until a time.
///
/// ## For callers
/// - ``now`` is cheap and never blocks. Store the whole value that it returns, not a part of it.
/// - A sleep until ``ClockDeadline/sinceBoot(_:)`` ends when the boot clock shows that time; a suspend counts
///   as elapsed time. A sleep until ``ClockDeadline/wall(_:)`` ends when the wall clock has reached that
///   time, even if the clock was set to that time or past it.
///
/// ## For implementers
/// - ``now`` reads both clocks together. ``Moment/sinceBoot`` never goes back within one boot and counts
///   suspended time.
/// - A sleep until a time that has passed returns at once. A cancelled sleep throws `CancellationError` at
///   once. A sleep may end late, never early.
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

    /// The date of the calendar day that contains a wall time, in the present zone.
    ///
    /// The day of a date begins at the first instant whose local time is `dayStart` on that date or later. If
    /// the clocks skip that time (a gap), the day begins at the end of the gap. If the clocks show that time
    /// twice (an overlap), the day begins at the first of the two instants. A date that the zone skipped
    /// begins and ends at the instant at which the next date begins.
    ///
    /// - Parameters:
    ///   - wall: the time since 1970-01-01T00:00:00Z.
    ///   - dayStart: how long after local midnight the day begins, 0 to 24 hours.
    func civilDate(at wall: Duration, dayStart: Duration) -> CivilDate

    /// The wall time at which the day of a date begins, in the present zone.
    ///
    /// - Parameters:
    ///   - date: the date. For a date that the zone skipped see ``civilDate(at:dayStart:)``.
    ///   - dayStart: how long after local midnight the day begins, 0 to 24 hours.
    /// - Returns: the time since 1970-01-01T00:00:00Z.
    func start(of date: CivilDate, dayStart: Duration) -> Duration

    /// The wall time at which the next day begins, after the day that contains `wall`. The call follows the
    /// calendar, so the next day may begin after 23 or 25 hours.
    ///
    /// - Parameters:
    ///   - wall: the time since 1970-01-01T00:00:00Z.
    ///   - dayStart: how long after local midnight the day begins, 0 to 24 hours.
    func nextDayStart(after wall: Duration, dayStart: Duration) -> Duration

    /// Returns a stream that yields a notice each time the wall clock is set or the time zone changes. The
    /// stream ends when its reader drops it.
    func notices() -> AsyncStream<ClockNotice>
}

/// The time at which a sleep on a ``LockClock`` ends.
public enum ClockDeadline: Hashable, Sendable {
    /// The sleep ends when the boot clock shows this time.
    case sinceBoot(Duration)
    /// The sleep ends when the wall clock shows this time since 1970-01-01T00:00:00Z.
    case wall(Duration)
}

/// A change that a ``LockClock`` reports.
public enum ClockNotice: Hashable, Sendable {
    /// The wall clock was set.
    case wallClockSet
    /// The time zone changed.
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

    /// Makes a date from these numbers, which are not checked.
    public init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The date in the form of ISO 8601: `2026-11-21`.
    public var description: String {
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number.magnitude)
            return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - digits.count))
                + digits
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }

    /// Whether the left date is earlier than the right date.
    public static func < (left: Self, right: Self) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}
