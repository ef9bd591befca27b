/// Two changes in each year, for ever: what a footer such as `CET-1CEST,M3.5.0,M10.5.0/3` says (RFC 9636, 3.3.2).
package struct ZoneRule: Hashable, Sendable {
    /// Which day of a year.
    package enum Day: Hashable, Sendable {
        /// `J1` to `J365`: a 29 February is not counted.
        case withoutLeapDay(Int)
        /// `0` to `365`: a 29 February is counted; 365 of a common year is the next year's first.
        case withLeapDay(Int)
        /// `M10.5.0`: a month, which of its weeks with 5 for the last, and a weekday from Sunday on as 0.
        case weekday(month: Int, week: Int, weekday: Int)

        /// Its number, in days since 1970.
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

    /// One of the two changes.
    package struct Change: Hashable, Sendable {
        /// The day, by the date of the local time.
        package var day: Day
        /// Seconds of UTC after that day's midnight, which may be days away.
        package var time: Int
        /// Seconds to add to UTC from then on.
        package var offset: Int

        func second(in year: Int) -> Int { day.number(in: year) * 86_400 + time }
    }

    /// The one that is earlier in each year.
    private let first: Change
    private let second: Change

    /// What a footer with these two changes means.
    enum Meaning: Hashable, Sendable {
        case rule(ZoneRule)
        /// Clocks that never change, as with daylight saving time all the year.
        case always(offset: Int)
        /// The changes of a year overlap.
        case nothing
    }

    /// The years of all kinds, each with all kinds of years behind it.
    private static let kinds = 2_001...2_028

    static func meaning(of begin: Change, _ end: Change) -> Meaning {
        if begin.offset == end.offset { return .always(offset: end.offset) }
        if let rule = ZoneRule(begin, end) ?? ZoneRule(end, begin) { return .rule(rule) }
        // It ends no earlier than it begins again.
        if kinds.allSatisfy({ end.second(in: $0) >= begin.second(in: $0 + 1) }) {
            return .always(offset: begin.offset)
        }
        if kinds.allSatisfy({ end.second(in: $0) == begin.second(in: $0) }) {
            return .always(offset: end.offset)
        }
        return .nothing
    }

    /// - Returns: `nil` where the changes do not follow each other in this order, in each year, further apart than
    ///   what they change: otherwise clocks would show a time three times.
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

    /// The stretch that holds a second since 1970.
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

    /// The offset of the stretches beside those of this one.
    package func other(than offset: Int) -> Int { offset == first.offset ? second.offset : first.offset }
}
