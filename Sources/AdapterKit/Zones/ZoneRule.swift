/// The two changes of each year that the footer of a zone file describes (RFC 9636, 3.3.2). An example of a
/// footer is `CET-1CEST,M3.5.0,M10.5.0/3`.
package struct ZoneRule: Hashable, Sendable {
    /// A day of a year.
    package enum Day: Hashable, Sendable {
        /// `J1` to `J365`: the number of the day in the year, without counting 29 February.
        case withoutLeapDay(Int)
        /// `0` to `365`: the number of the day in the year, starting at 0 and counting 29 February. In a
        /// common year 365 is the next year's first day.
        case withLeapDay(Int)
        /// `M10.5.0`: a month, a week of the month (5 is the last) and a weekday (0 is Sunday).
        case weekday(month: Int, week: Int, weekday: Int)

        /// The number of days from 1970-01-01 to this day of the given year.
        func number(in year: Int) -> Int {
            switch self {
            case .withoutLeapDay(let count):
                let leap = Gregorian.isLeap(year) && count >= 60 ? 1 : 0
                return Gregorian.dayNumber(year: year, month: 1, day: count + leap)
            case .withLeapDay(let count):
                return Gregorian.dayNumber(year: year, month: 1, day: 1 + count)
            case .weekday(let month, let week, let weekday):
                let first = Gregorian.dayNumber(year: year, month: month, day: 1)
                var day = (weekday - Gregorian.weekday(ofDay: first) + 7) % 7 + (week - 1) * 7
                if day >= Gregorian.length(ofMonth: month, in: year) { day -= 7 }
                return first + day
            }
        }
    }

    /// One of the two changes of each year.
    package struct Change: Hashable, Sendable {
        /// The day, as a date in local time.
        package var day: Day
        /// The seconds from that day's midnight in UTC to the change. The change may lie several days before
        /// or after that day.
        package var time: Int
        /// The seconds to add to UTC after the change.
        package var offset: Int

        func second(in year: Int) -> Int { day.number(in: year) * 86_400 + time }
    }

    /// The earlier change of each year.
    private let first: Change
    private let second: Change

    /// The meaning of a footer with two changes.
    enum Meaning: Hashable, Sendable {
        case rule(ZoneRule)
        /// The offset never changes, for example because daylight saving time lasts all year.
        case always(offset: Int)
        /// The two changes do not alternate in every year, or are too close together. So the footer describes
        /// no rule.
        case nothing
    }

    /// The years 2001 to 2028. They contain common years and leap years that begin on each weekday, and every
    /// combination of two consecutive years. So a rule that holds in these years holds in all years.
    private static let kinds = 2_001...2_028

    static func meaning(of begin: Change, _ end: Change) -> Meaning {
        if begin.offset == end.offset { return .always(offset: end.offset) }
        if let rule = ZoneRule(begin, end) ?? ZoneRule(end, begin) { return .rule(rule) }
        // If daylight saving time does not end before it begins again in the next year, it lasts for ever.
        if kinds.allSatisfy({ end.second(in: $0) >= begin.second(in: $0 + 1) }) {
            return .always(offset: begin.offset)
        }
        if kinds.allSatisfy({ end.second(in: $0) == begin.second(in: $0) }) {
            return .always(offset: end.offset)
        }
        return .nothing
    }

    /// Makes a rule of two changes; `nil` if the changes do not alternate in this order in each year. The
    /// changes must be further apart than the difference of their offsets. Otherwise clocks would show a
    /// local time three times.
    private init?(_ first: Change, _ second: Change) {
        let apart = abs(first.offset - second.offset)
        for year in Self.kinds {
            let middle = second.second(in: year)
            guard middle - first.second(in: year) > apart, first.second(in: year + 1) - middle > apart else {
                return nil
            }
        }
        self.first = first
        self.second = second
    }

    /// The span that contains a second since 1970.
    package func span(at instant: Int) -> ZoneSpan {
        var year = Gregorian.date(ofDay: instant.floored(by: 86_400)).year
        var start = first.second(in: year)
        while instant < start {
            year -= 1
            start = first.second(in: year)
        }
        while true {
            let middle = second.second(in: year)
            if instant < middle { return ZoneSpan(start: start, end: middle, offset: first.offset) }
            let end = first.second(in: year + 1)
            if instant < end { return ZoneSpan(start: middle, end: end, offset: second.offset) }
            year += 1
            start = end
        }
    }

    /// Returns the rule's other offset, which applies before and after each span of the given offset.
    package func other(than offset: Int) -> Int { offset == first.offset ? second.offset : first.offset }
}
