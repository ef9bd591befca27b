public import PortcullisCore

extension CivilDate {
    /// Makes the date that is this many days after 1970-01-01.
    public init(daysSinceEpoch days: Int) {
        let date = Gregorian.date(ofDay: days)
        self.init(year: date.year, month: date.month, day: date.day)
    }

    /// The number of days since 1970-01-01.
    public var daysSinceEpoch: Int { Gregorian.dayNumber(year: year, month: month, day: day) }
}

/// A span of time in which a zone's offset from UTC is constant.
public struct ZoneSpan: Hashable, Sendable {
    /// The second since 1970 at which the span begins.
    public var start: Int
    /// The second since 1970 at which the span ends, exclusive; `nil` when it has no end.
    public var end: Int?
    /// The seconds to add to UTC.
    public var offset: Int

    /// Makes a span of these parts.
    public init(start: Int, end: Int?, offset: Int) {
        self.start = start
        self.end = end
        self.offset = offset
    }
}

/// The rule that all clocks use to compute when the days of a time zone begin.
///
/// A day begins at the first instant whose local time is `dayStart` on that date or later. If the local time
/// `dayStart` is inside a gap, the day therefore begins at the end of the gap. If that local time occurs
/// twice, the day begins at the first of the two instants. If a zone skips a date, the day of that date has
/// no length. If the zone's local time goes back over the start of a day, for example at the end of daylight
/// saving time, the date does not go back to the day before.
public enum CivilDay: Sendable {
    /// The greatest difference between a local time and UTC, in seconds.
    private static let reach = 26 * 3_600
    private static let day = 86_400

    /// The range of wall times since 1970-01-01T00:00:00Z for which dates are computed: the years from about
    /// 10,700 BC to AD 14,600. ``date(at:dayStart:spans:)`` and ``nextStart(after:dayStart:spans:)`` replace
    /// a time outside of the range by the nearer end of the range.
    ///
    /// A time that does not come from a clock may be far outside of the range. For example, the modification
    /// time of a file may be any 64-bit number. The caller should check such a time before the call.
    public static let times: ClosedRange<Duration> = .seconds(-400_000_000_000) ... .seconds(400_000_000_000)

    /// The date whose day contains a wall time.
    ///
    /// - Parameters:
    ///   - wall: the time since 1970-01-01T00:00:00Z.
    ///   - dayStart: the local time at which days begin, since midnight.
    ///   - spans: returns the zone's spans that overlap a range of seconds since 1970, in order and without
    ///     gaps.
    public static func date(
        at wall: Duration,
        dayStart: Duration,
        spans: (ClosedRange<Int>) -> [ZoneSpan]
    ) -> CivilDate {
        CivilDate(daysSinceEpoch: number(at: wall, dayStart: dayStart, spans: spans))
    }

    /// The wall time at which the day of a date begins.
    ///
    /// - Parameters:
    ///   - date: the date.
    ///   - dayStart: the local time at which days begin, since midnight.
    ///   - spans: returns the zone's spans that overlap a range of seconds since 1970, in order and without
    ///     gaps.
    public static func start(
        of date: CivilDate,
        dayStart: Duration,
        spans: (ClosedRange<Int>) -> [ZoneSpan]
    ) -> Duration {
        .seconds(start(of: date.daysSinceEpoch, dayStart: secondOfDay(dayStart), spans: spans))
    }

    /// The wall time at which the day after the day of `wall` begins.
    ///
    /// - Parameters:
    ///   - wall: the time since 1970-01-01T00:00:00Z.
    ///   - dayStart: the local time at which days begin, since midnight.
    ///   - spans: returns the zone's spans that overlap a range of seconds since 1970, in order and without
    ///     gaps.
    public static func nextStart(
        after wall: Duration,
        dayStart: Duration,
        spans: (ClosedRange<Int>) -> [ZoneSpan]
    ) -> Duration {
        let today = number(at: wall, dayStart: dayStart, spans: spans)
        return .seconds(start(of: today + 1, dayStart: secondOfDay(dayStart), spans: spans))
    }

    private static func number(
        at wall: Duration,
        dayStart: Duration,
        spans: (ClosedRange<Int>) -> [ZoneSpan]
    ) -> Int {
        let now = wall.clamped(to: times).wholeSeconds
        let dayStart = secondOfDay(dayStart)
        // The search begins at the latest possible date, which is the date in a zone with the offset `reach`.
        // With the offsets of real zones, the right date is at most two days earlier.
        var candidate = (now + reach - dayStart).floored(by: day)
        while start(of: candidate, dayStart: dayStart, spans: spans) > now { candidate -= 1 }
        return candidate
    }

    /// The start of days in seconds since midnight, 0 to 24 hours.
    private static func secondOfDay(_ dayStart: Duration) -> Int {
        dayStart.clamped(to: .zero ... .seconds(day)).wholeSeconds
    }

    private static func start(of number: Int, dayStart: Int, spans: (ClosedRange<Int>) -> [ZoneSpan]) -> Int {
        let local = number * day + dayStart
        for span in spans((local - reach)...(local + reach)) {
            let instant = max(span.start, local - span.offset)
            if let end = span.end, instant >= end { continue }
            return instant
        }
        preconditionFailure("the spans of a zone do not cover the range asked for")
    }
}
