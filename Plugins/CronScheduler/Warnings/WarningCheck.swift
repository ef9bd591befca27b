internal import AdapterKit
internal import PortcullisCore

/// Finds likely mistakes in compiled fields.
struct WarningCheck {
    let sets: FieldSets
    let zoneName: String?
    let zone: ZoneRules?
    let second: Int

    /// A date counts as rare if more than this number of years lie between two of its occurrences.
    private static let rareYears = 3

    /// The text of this expression after a change.
    func text(_ change: (inout FieldSets) -> Void) -> String {
        var sets = sets
        change(&sets)
        return CronExpression(rule: .fields(sets), zoneName: zoneName).description
    }

    /// A warning if the expression never fires, or does not fire any more.
    func never(isCertain: Bool) -> CronWarning? {
        guard isCertain else {
            guard sets.next(after: second, in: zone ?? .utc) == nil else { return nil }
            return CronWarning(
                code: .isOver,
                field: .year,
                message: "it does not fire any more: the last of its years is over",
                hint: "leave the year out for every year"
            )
        }
        var anyYear = sets
        anyYear.rare = anyYear.rare?.withoutYears
        let isYear = anyYear.date(from: 0) != nil
        return CronWarning(
            code: .neverFires,
            field: isYear ? .year : .day,
            message: isYear
                ? "it never fires: none of its years has such a date"
                : "it never fires: \(months) such a day",
            hint: isYear
                ? "29 February comes in leap years only"
                : "for the last day write \(text { $0.makeLastDay() })"
        )
    }

    /// The part of the message before “such a day”. A single month is named, such as “April never has”.
    private var months: String {
        let months = Array(Bits(sets.months))
        return months.count == 1 ? "\(Words.month(months[0])) never has" : "none of its months has"
    }

    /// A warning if every minute or second of an hour matches, but no two consecutive hours match. The same
    /// warning is given if every second of a minute matches, but no two consecutive minutes match.
    var everyUnit: CronWarning? {
        let hours = Array(Bits(sets.hours))
        let minutes = Array(Bits(sets.minutes))
        if sets.seconds == FieldSets.allSixty {
            if Self.areScattered(minutes) {
                return CronWarning(
                    code: .everySecond,
                    field: .second,
                    message: "it fires 60 times a minute, at every second",
                    hint: "for once a minute write \(text { $0.seconds = 1 })"
                )
            }
            guard minutes.count == 60, Self.areScattered(hours) else { return nil }
            return CronWarning(
                code: .everySecond,
                field: .second,
                message: "it fires 3600 times an hour, at every second",
                hint: "for once an hour write \(text { ($0.seconds, $0.minutes) = (1, 1) })"
            )
        }
        guard minutes.count == 60, sets.seconds == 1, Self.areScattered(hours) else { return nil }
        return CronWarning(
            code: .everyMinute,
            field: .minute,
            message: "it fires 60 times an hour, at every minute",
            hint: "for once an hour write \(text { $0.minutes = 1 })"
        )
    }

    private static func areScattered(_ values: [Int]) -> Bool {
        ValueRun.runs(in: values).allSatisfy { $0.count == 1 }
    }

    /// A warning about dates with years between them.
    var rareDate: CronWarning? {
        let today = second / 86_400
        guard sets.rare?.sets.years == nil, let first = sets.date(from: today),
            let next = sets.date(from: first + 1), next - first > Self.rareYears * 366
        else { return nil }
        return CronWarning(
            code: .rareDate,
            field: .day,
            message:
                "years pass between its dates: it fires on \(Self.date(first)) and next on \(Self.date(next))",
            hint: sets.weekdays == FieldSets.allWeekdays
                ? "for the last day of the month write \(text { $0.makeLastDay() })" : nil
        )
    }

    static func date(_ day: Int) -> String {
        let date = Gregorian.date(ofDay: day)
        return "\(date.year)-\(Words.twoDigits(date.month))-\(Words.twoDigits(date.day))"
    }
}

// Warnings about days and weekdays.
extension WarningCheck {
    /// A warning about expressions with both a day and a weekday.
    var days: CronWarning? {
        let anyDay = sets.days == FieldSets.allDays
        let anyWeekday = sets.weekdays == FieldSets.allWeekdays
        if sets.isEitherDay { return eitherDay(anyDay, anyWeekday) }
        guard !anyDay, !anyWeekday else { return nil }
        let words = DateWords(sets)
        let isDayStar = sets.traits.contains(.dayStar)
        let name = isDayStar ? "day" : "weekday"
        return CronWarning(
            code: .bothDays,
            field: isDayStar ? .day : .weekday,
            message: "both must match, since the \(name) field starts with *: "
                + "\(words.days) only if it is \(words.weekdays("or"))",
            hint:
                "if either is enough write \(text { $0.traits.subtract([.dayStar, .weekdayStar]) })"
        )
    }

    private func eitherDay(_ anyDay: Bool, _ anyWeekday: Bool) -> CronWarning? {
        if anyDay, anyWeekday { return nil }
        if anyDay || anyWeekday {
            let (all, other) = anyDay ? ("day", "weekday") : ("weekday", "day")
            return CronWarning(
                code: .eitherDay,
                field: anyDay ? .weekday : .day,
                message: "it fires every day: the \(all) field has all days, and either is enough",
                hint: "if the \(other) is to decide write "
                    + text { $0.traits.insert(anyDay ? .dayStar : .weekdayStar) }
            )
        }
        let words = DateWords(sets)
        if !hasDay {
            return CronWarning(
                code: .skippedMonths,
                field: .day,
                message: "\(months) such a day: it fires on \(words.weekdays("and")) only",
                hint: "for the last day as well write \(text { $0.makeLastDay() })"
            )
        }
        return CronWarning(
            code: .eitherDay,
            field: .weekday,
            message: "either is enough: it fires on \(words.days), and on \(words.weekdays("and")) too",
            hint: ordinalHint ?? "write * for the one that is not to count"
        )
    }

    /// Whether the day field alone ever matches.
    private var hasDay: Bool {
        var days = sets
        days.weekdays = FieldSets.allWeekdays
        days.traits.insert(.weekdayStar)
        var rules = sets.rare?.sets ?? RareRules.Sets()
        (rules.ordinals, rules.lastWeekdays, rules.years) = (0, 0, nil)
        days.rare = RareRules(rules)
        return days.date(from: 0) != nil
    }

    /// A hint for an expression with seven days such as 1-7 and one weekday. Its author probably means, for
    /// example, the first Monday of the month.
    private var ordinalHint: String? {
        guard sets.rare == nil, sets.weekdays.nonzeroBitCount == 1 else { return nil }
        let days = Array(Bits(sets.days))
        guard case .run(let first, let last) = ValuePattern(sets.days, .day), days.count == 7,
            last == first + 6, first % 7 == 1
        else { return nil }
        let weekday = sets.weekdays.trailingZeroBitCount
        let expression = text {
            $0.days = FieldSets.allDays
            $0.weekdays = 0
            $0.traits.insert(.dayStar)
            var rules = RareRules.Sets()
            rules.ordinals = 1 << (weekday + 8 * (first / 7))
            $0.rare = RareRules(rules)
        }
        return "for the \(Words.ordinal(first / 7 + 1)) \(Words.weekday(weekday)) write \(expression)"
    }
}

extension FieldSets {
    /// Replaces the days by `L`.
    mutating func makeLastDay() {
        var rules = rare?.sets ?? RareRules.Sets()
        rules = RareRules.Sets(
            fromLast: 1,
            ordinals: rules.ordinals,
            lastWeekdays: rules.lastWeekdays,
            years: rules.years
        )
        days = 0
        traits.remove(.dayStar)
        rare = RareRules(rules)
    }
}

extension RareRules {
    /// These rules without their years.
    fileprivate var withoutYears: RareRules {
        var rules = sets
        rules.years = nil
        return RareRules(rules)
    }
}
