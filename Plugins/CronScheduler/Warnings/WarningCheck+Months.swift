internal import AdapterKit
internal import PortcullisCore

// Warnings about months that do not have the day which the expression names.
extension WarningCheck {
    /// A warning that the expression does not fire in some of its months. These months lack the day in the
    /// day field, or a fifth weekday that the weekday field names, such as a fifth Monday.
    var skippedMonths: CronWarning? {
        guard !sets.isEitherDay else { return nil }
        if sets.weekdays == FieldSets.allWeekdays { return skippedDay }
        return sets.days == FieldSets.allDays && rareDate == nil ? skippedOrdinal : nil
    }

    private var skippedDay: CronWarning? {
        let rules = sets.rare?.sets ?? RareRules.Sets()
        let day = (sets.days | rules.nearest).trailingZeroBitCount
        let back = (rules.fromLast | rules.nearestFromLast).trailingZeroBitCount
        // A month with fewer than `needed` days contains none of the days that the day field names.
        let needed = min(day, back + 1)
        let skipped = Bits(sets.months).filter { Gregorian.length(ofMonth: $0, in: 2024) < needed }
        let isLeap = needed == 29 && sets.months & 1 << 2 != 0 && sets.months != 1 << 2
        guard !skipped.isEmpty || isLeap else { return nil }
        let name = day == needed ? Words.nth(day) : "\(Words.nth(back)) day before the last"
        return CronWarning(
            code: .skippedMonths,
            field: .day,
            message: isLeap
                ? "February has a \(name) in leap years only, and is passed over in others"
                : "\(Words.list(skipped.map(Words.month))) \(skipped.count == 1 ? "has" : "have") no \(name) "
                    + "and \(skipped.count == 1 ? "is" : "are") passed over",
            hint: day == needed
                ? "for the last day write \(text { $0.makeLastDay() })"
                : "every month has L-27 and what is later"
        )
    }

    /// A warning for an expression that names only fifth weekdays, such as the fifth Monday. It passes over
    /// the months in which each of these weekdays occurs only four times.
    private var skippedOrdinal: CronWarning? {
        guard let rules = sets.rare?.sets, rules.ordinals >> 32 != 0,
            sets.weekdays == 0, rules.lastWeekdays == 0, rules.ordinals & 0xFFFF_FFFF == 0
        else { return nil }
        let weekdays = Array(Bits(rules.ordinals >> 32))
        let names = Words.list(weekdays.map { "fifth \(Words.weekday($0))" }, "or")
        return CronWarning(
            code: .skippedMonths,
            field: .weekday,
            message: "months without a \(names) are passed over",
            hint: "for the last of the month write "
                + text {
                    let last = weekdays.reduce(into: UInt8(0)) { $0 |= 1 << $1 }
                    $0.rare = RareRules(RareRules.Sets(lastWeekdays: last, years: rules.years))
                }
        )
    }
}
