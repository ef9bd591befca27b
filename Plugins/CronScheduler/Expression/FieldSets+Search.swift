internal import AdapterKit
internal import PortcullisCore

// The search among local times. A local time is a number of seconds since 1970-01-01T00:00 on the wall clock,
// without a zone.
extension FieldSets {
    /// The first matching local second at `local` or later.
    @inline(__always)
    func firstMatch(from local: Int) -> Int? {
        let (day, second) = Self.split(local)
        if traits.contains(.everyDate) {
            if let time = time(from: second) { return day * 86_400 + time }
            return (day + 1) * 86_400 + firstTime
        }
        guard let found = date(from: day) else { return nil }
        if found == day {
            if let time = time(from: second) { return day * 86_400 + time }
            guard let later = date(from: day + 1) else { return nil }
            return later * 86_400 + firstTime
        }
        return found * 86_400 + firstTime
    }

    /// The last matching local second at `local` or earlier.
    @inline(__always)
    func lastMatch(upTo local: Int) -> Int? {
        let (day, second) = Self.split(local)
        guard let found = date(upTo: day) else { return nil }
        if found == day {
            if let time = time(upTo: second) { return day * 86_400 + time }
            guard let earlier = date(upTo: day - 1) else { return nil }
            return earlier * 86_400 + lastTime
        }
        return found * 86_400 + lastTime
    }

    /// Splits a local second into the day number and the second of the day.
    @inline(__always)
    private static func split(_ local: Int) -> (day: Int, second: Int) {
        // A large number of whole days is added, so that `moved` is positive for times before 1970 too. The
        // division of a positive number rounds down.
        let moved = UInt(bitPattern: local + 86_400 * (1 &<< 40))
        let (day, second) = moved.quotientAndRemainder(dividingBy: 86_400)
        return (Int(bitPattern: day) - (1 &<< 40), Int(bitPattern: second))
    }
}

// The search among seconds of the day.
extension FieldSets {
    var firstTime: Int {
        hours.trailingZeroBitCount * 3_600 + minutes.trailingZeroBitCount * 60
            + seconds.trailingZeroBitCount
    }

    var lastTime: Int { hours.highest * 3_600 + minutes.highest * 60 + seconds.highest }

    @inline(__always)
    func time(from second: Int) -> Int? {
        let minute = second / 60
        let hour = minute / 60
        if hours & (1 &<< hour) != 0 {
            let minuteOfHour = minute - hour * 60
            if minutes & (1 &<< minuteOfHour) != 0 {
                let rest = seconds & (~0 &<< (second - minute * 60))
                if rest != 0 { return minute * 60 + rest.trailingZeroBitCount }
            }
            let rest = minutes & (~0 &<< (minuteOfHour + 1))
            if rest != 0 {
                return hour * 3_600 + rest.trailingZeroBitCount * 60 + seconds.trailingZeroBitCount
            }
        }
        let rest = hours & (~0 &<< (hour + 1))
        if rest == 0 { return nil }
        return rest.trailingZeroBitCount * 3_600 + minutes.trailingZeroBitCount * 60
            + seconds.trailingZeroBitCount
    }

    @inline(__always)
    func time(upTo second: Int) -> Int? {
        let minute = second / 60
        let hour = minute / 60
        if hours & (1 &<< hour) != 0 {
            let minuteOfHour = minute - hour * 60
            if minutes & (1 &<< minuteOfHour) != 0 {
                let rest = seconds & ~(~1 &<< (second - minute * 60))
                if rest != 0 { return minute * 60 + rest.highest }
            }
            let rest = minutes & ~(~0 &<< minuteOfHour)
            if rest != 0 { return hour * 3_600 + rest.highest * 60 + seconds.highest }
        }
        let rest = hours & ~(~0 &<< hour)
        if rest == 0 { return nil }
        return rest.highest * 3_600 + minutes.highest * 60 + seconds.highest
    }
}

// The search among day numbers.
extension FieldSets {
    /// The number of years after which a search gives up, because the calendar repeats.
    private static let cycleYears = 400

    /// The first matching date at `day` or later.
    @inline(__always)
    func date(from day: Int) -> Int? {
        if traits.contains(.everyDate) { return day }
        if traits.contains(.weekdayOnly) {
            return day + weekdays.week(from: Gregorian.weekday(ofDay: day)).trailingZeroBitCount
        }
        return walk(from: day)
    }

    /// The last matching date at `day` or earlier.
    @inline(__always)
    func date(upTo day: Int) -> Int? {
        if traits.contains(.everyDate) { return day }
        return walk(upTo: day)
    }

    private func walk(from day: Int) -> Int? {
        let start = Gregorian.date(ofDay: day)
        guard var year = firstYear(from: start.year) else { return nil }
        var rest = months
        if year == start.year {
            if months & (1 &<< start.month) != 0 {
                let first = day - start.day + 1
                let found = matches(year: year, month: start.month, first: first) & (~0 &<< start.day)
                if found != 0 { return first + found.trailingZeroBitCount - 1 }
            }
            rest &= ~0 &<< (start.month + 1)
        }
        while true {
            while rest != 0 {
                let month = rest.trailingZeroBitCount
                rest &= rest - 1
                let first = Gregorian.dayNumber(year: year, month: month, day: 1)
                let found = matches(year: year, month: month, first: first)
                if found != 0 { return first + found.trailingZeroBitCount - 1 }
            }
            guard let next = firstYear(from: year + 1), isWorthwhile(next - start.year) else { return nil }
            year = next
            rest = months
        }
    }

    private func walk(upTo day: Int) -> Int? {
        let start = Gregorian.date(ofDay: day)
        guard var year = lastYear(upTo: start.year) else { return nil }
        var rest = months
        if year == start.year {
            if months & (1 &<< start.month) != 0 {
                let first = day - start.day + 1
                let found = matches(year: year, month: start.month, first: first) & ~(~1 &<< start.day)
                if found != 0 { return first + found.highest - 1 }
            }
            rest &= ~(~0 &<< start.month)
        }
        while true {
            while rest != 0 {
                let month = rest.highest
                rest &= ~(1 &<< month)
                let first = Gregorian.dayNumber(year: year, month: month, day: 1)
                let found = matches(year: year, month: month, first: first)
                if found != 0 { return first + found.highest - 1 }
            }
            guard let last = lastYear(upTo: year - 1), isWorthwhile(start.year - last) else { return nil }
            year = last
            rest = months
        }
    }

    private func firstYear(from year: Int) -> Int? {
        guard let rare else { return year }
        return rare.year(from: year)
    }

    private func lastYear(upTo year: Int) -> Int? {
        guard let rare else { return year }
        return rare.year(upTo: year)
    }

    /// Whether a date may still be found this many years away. The calendar repeats after 400 years. So a
    /// search of 400 years is enough without a field of years. With this field the search may have to go
    /// further, and ends at the field's last year.
    private func isWorthwhile(_ years: Int) -> Bool {
        years <= Self.cycleYears || rare?.sets.years != nil
    }

    /// The matching days of a month, as bits 1 to 31. `first` is the day number of the month's first day.
    @inline(__always)
    private func matches(year: Int, month: Int, first: Int) -> UInt32 {
        let length = Gregorian.length(ofMonth: month, in: year)
        let firstWeekday = Gregorian.weekday(ofDay: first)
        var byDay = days
        // The bits of one week from the first of the month on, repeated five times.
        var byWeekday = UInt32(truncatingIfNeeded: (weekdays.week(from: firstWeekday) &* 0x1020_4081) << 1)
        if let rare {
            byDay |= rare.days(length: length, firstWeekday: firstWeekday)
            byWeekday |= rare.weekdays(length: length, firstWeekday: firstWeekday)
        }
        return (isEitherDay ? byDay | byWeekday : byDay & byWeekday) & ~(~1 &<< length) & ~1
    }
}

extension FixedWidthInteger {
    /// The number of the highest bit that is set.
    @inline(__always)
    fileprivate var highest: Int { Self.bitWidth - 1 - leadingZeroBitCount }
}

extension UInt8 {
    /// The seven bits of a week, rotated so that bit 0 stands for the given weekday.
    @inline(__always)
    fileprivate func week(from weekday: Int) -> UInt64 {
        let twice = UInt64(self) | UInt64(self) << 7
        return (twice >> UInt64(weekday)) & 0x7F
    }
}
