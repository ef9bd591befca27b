internal import PortcullisCore

/// The compiled form of the five to seven fields, with one bit for each matching value.
struct FieldSets: Hashable, Sendable {
    /// The seconds, as bits 0 to 59.
    var seconds: UInt64
    /// The minutes, as bits 0 to 59.
    var minutes: UInt64
    /// The hours, as bits 0 to 23.
    var hours: UInt32
    /// The days of the month, as bits 1 to 31.
    var days: UInt32
    /// The months, as bits 1 to 12.
    var months: UInt16
    /// The weekdays, as bits 0 for Sunday to 6 for Saturday.
    var weekdays: UInt8
    var traits: Traits = []
    /// The rules that bit sets cannot express; `nil` for most expressions.
    var rare: RareRules?

    struct Traits: OptionSet, Hashable, Sendable {
        let rawValue: UInt8
        /// The day field starts with `*` or is `?`.
        static let dayStar = Traits(rawValue: 1 << 0)
        /// The weekday field starts with `*` or is `?`.
        static let weekdayStar = Traits(rawValue: 1 << 1)
        /// Every date matches.
        static let everyDate = Traits(rawValue: 1 << 2)
        /// Whether a date matches depends on its weekday only.
        static let weekdayOnly = Traits(rawValue: 1 << 3)
    }

    static let allSixty: UInt64 = (1 << 60) - 1
    static let allHours: UInt32 = (1 << 24) - 1
    static let allDays: UInt32 = ~1
    static let allMonths: UInt16 = 0b1_1111_1111_1110
    static let allWeekdays: UInt8 = 0b111_1111

    /// Whether the expression follows elapsed time, as `@every` does. This is so if the expression names all
    /// 24 hours. CronPolicies.md explains the consequences.
    var isElapsed: Bool { hours == Self.allHours }

    /// Whether it is enough that the day or the weekday of a date matches. If not, both must match.
    var isEitherDay: Bool { traits.isDisjoint(with: [.dayStar, .weekdayStar]) }

    /// Finds the shortcuts that the search may take. All sets must be complete before this call.
    mutating func findShortCuts() {
        guard rare == nil, months == Self.allMonths else { return }
        let anyDay = days == Self.allDays
        let anyWeekday = weekdays == Self.allWeekdays
        if isEitherDay ? anyDay || anyWeekday : anyDay && anyWeekday {
            traits.insert(.everyDate)
        } else if anyDay, !isEitherDay {
            traits.insert(.weekdayOnly)
        }
    }
}

/// The rules for days that depend on the length and weekdays of a month, and the rules for years.
final class RareRules: Hashable, Sendable {
    /// The values of the rules. Two ``RareRules`` are equal if these values are equal.
    struct Sets: Hashable, Sendable {
        /// Bit n: `L-n`, the day n days before the last day of the month.
        var fromLast: UInt32 = 0
        /// Bit d: `dW`, the weekday (Monday to Friday) nearest to day d.
        var nearest: UInt32 = 0
        /// Bit n: `L-nW`, the weekday (Monday to Friday) nearest to the day n days before the month's last day.
        var nearestFromLast: UInt32 = 0
        /// Bit w + 8(n − 1): `w#n`, the n-th weekday w of the month.
        var ordinals: UInt64 = 0
        /// Bit w: `wL` or `w#L`, the last weekday w of the month.
        var lastWeekdays: UInt8 = 0
        /// The years, or `nil` for all years. The ranges are sorted, and each ends before the next one begins.
        var years: [YearRange]?
    }

    /// Years at equal distances: from `first` to at most `last`, each `step` years after the one before.
    struct YearRange: Hashable, Sendable {
        var first: Int
        var last: Int
        var step: Int
    }

    /// The largest number of single years and ranges of years in an expression. The limit is arbitrary. It is
    /// similar to the largest number of values in a list of another field, which is 60.
    static let mostYears = 40

    let sets: Sets

    init(_ sets: Sets) { self.sets = sets }

    static func == (left: RareRules, right: RareRules) -> Bool { left.sets == right.sets }
    func hash(into hasher: inout Hasher) { hasher.combine(sets) }

    /// The first matching year at `year` or later.
    func year(from year: Int) -> Int? {
        guard let years = sets.years else { return year }
        for range in years {
            // The quotient is rounded up, to the next step of the range.
            let steps = max(0, year - range.first + range.step - 1) / range.step
            let candidate = range.first + steps * range.step
            if candidate <= range.last { return candidate }
        }
        return nil
    }

    /// The last matching year at `year` or earlier.
    func year(upTo year: Int) -> Int? {
        guard let years = sets.years else { return year }
        guard let range = years.last(where: { $0.first <= year }) else { return nil }
        return range.first + (min(year, range.last) - range.first) / range.step * range.step
    }

    /// The days that match the rules of the day field, as bits 1 to 31.
    func days(length: Int, firstWeekday: Int) -> UInt32 {
        var found: UInt32 = 0
        for back in Bits(sets.fromLast) where back < length { found |= 1 << (length - back) }
        for day in Bits(sets.nearest) where day <= length {
            found |= 1 << Self.workday(nearestTo: day, length: length, firstWeekday: firstWeekday)
        }
        for back in Bits(sets.nearestFromLast) where back < length {
            found |= 1 << Self.workday(nearestTo: length - back, length: length, firstWeekday: firstWeekday)
        }
        return found
    }

    /// The days that match the rules of the weekday field, as bits 1 to 31.
    func weekdays(length: Int, firstWeekday: Int) -> UInt32 {
        var found: UInt32 = 0
        for bit in Bits(sets.ordinals) {
            let day = Self.first(bit & 7, firstWeekday: firstWeekday) + 7 * (bit >> 3)
            if day <= length { found |= 1 << day }
        }
        for weekday in Bits(sets.lastWeekdays) {
            let first = Self.first(weekday, firstWeekday: firstWeekday)
            found |= 1 << (first + (length - first) / 7 * 7)
        }
        return found
    }

    /// The first day of the month with this weekday.
    private static func first(_ weekday: Int, firstWeekday: Int) -> Int {
        1 + (weekday - firstWeekday + 7) % 7
    }

    /// Returns the weekday (Monday to Friday) of the same month that is nearest to a day.
    private static func workday(nearestTo day: Int, length: Int, firstWeekday: Int) -> Int {
        switch (firstWeekday + day - 1) % 7 {
        case 6: day == 1 ? 3 : day - 1
        case 0: day == length ? day - 2 : day + 1
        default: day
        }
    }
}

/// The numbers of the set bits, from the lowest on.
struct Bits: Sequence, IteratorProtocol {
    private var rest: UInt64

    init(_ bits: some FixedWidthInteger & UnsignedInteger) { rest = UInt64(bits) }

    mutating func next() -> Int? {
        guard rest != 0 else { return nil }
        defer { rest &= rest - 1 }
        return rest.trailingZeroBitCount
    }
}
