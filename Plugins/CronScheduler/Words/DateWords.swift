/// The part of the explanation about the days and the years, such as ` on Monday to Friday`. The text is
/// empty only if both hold: the expression fires every day of every year, and the words about the time of
/// day already say so.
struct DateWords: Sendable {
    private let sets: FieldSets
    private let rules: RareRules.Sets
    private let months: ValuePattern

    init(_ sets: FieldSets) {
        self.sets = sets
        rules = sets.rare?.sets ?? RareRules.Sets()
        months = ValuePattern(sets.months, .month)
    }

    var text: String { dates + years }

    private var dates: String {
        let anyDay = sets.days == FieldSets.allDays
        let anyWeekday = sets.weekdays == FieldSets.allWeekdays
        switch (anyDay, anyWeekday) {
        case (true, true): return everyDay
        case (true, false), (false, true):
            if sets.isEitherDay { return everyDay }
            return anyDay ? onWeekdays : " on \(days) of \(ofMonths)"
        case (false, false) where sets.isEitherDay:
            return " on \(days) of the month or on \(weekdays("and"))" + aside
        case (false, false):
            return " on \(days) of \(ofMonths) if it is \(weekdays("or"))"
        }
    }

    /// The words “every day” and the months. “Every day” is left out in two cases: the expression names all
    /// 24 hours, or its hours are explained as a step.
    private var everyDay: String {
        let isSaid = sets.isElapsed || TimeWords(sets).isEvenOverDay
        return (isSaid ? "" : " every day") + inMonths
    }

    private var onWeekdays: String {
        let isByMonth = rules.ordinals != 0 || rules.lastWeekdays != 0
        return " on \(weekdays("and"))" + (isByMonth ? " of \(ofMonths)" : inMonths)
    }
}

// The words for months and years.
extension DateWords {
    private var monthNames: String {
        switch months {
        case .all: "every month"
        case .run(let first, let last): "\(Words.month(first)) to \(Words.month(last))"
        case .even, .steps, .list: Words.list(Bits(sets.months).map(Words.month))
        }
    }

    /// The months, in words that follow “of”.
    private var ofMonths: String {
        if case .run(let first, let last) = months {
            return "every month from \(Words.month(first)) to \(Words.month(last))"
        }
        return monthNames
    }

    private var inMonths: String {
        switch months {
        case .all: ""
        case .run: " from \(monthNames)"
        default: " in \(monthNames)"
        }
    }

    private var aside: String { inMonths.isEmpty ? "" : ",\(inMonths)" }

    private var years: String {
        guard let years = rules.years else { return "" }
        let items = years.map { range in
            let end = range.last == FieldUnit.year.last ? "on" : "to \(range.last)"
            if range.step > 1, range.isStar { return "every \(Words.nth(range.step)) year counted from 1970" }
            if range.step > 1 { return "every \(Words.nth(range.step)) year from \(range.first) \(end)" }
            return range.first == range.last ? "\(range.first)" : "\(range.first) \(end)"
        }
        let isRange = years.count == 1 && years[0].step == 1 && years[0].first != years[0].last
        return ", \(isRange ? "from" : "in") \(Words.list(items))"
    }
}

// The words for days and weekdays.
extension DateWords {
    /// The days of the month, in words that follow “on”, without the month.
    var days: String {
        var items: [String] = []
        if case .steps(let first, let last, let step) = ValuePattern(sets.days, .day) {
            items = ["every \(Words.nth(step)) day from the \(Words.nth(first)) to the \(Words.nth(last))"]
        } else {
            items = Words.items(Array(Bits(sets.days)), Words.nth).map { "the \($0)" }
        }
        items += Bits(rules.fromLast).map(Self.dayFromLast)
        items += Bits(rules.nearest).map { "the workday nearest to the \(Words.nth($0))" }
        items += Bits(rules.nearestFromLast).map {
            $0 == 0 ? "the last workday" : "the workday nearest to \(Self.dayFromLast($0))"
        }
        return Words.list(items)
    }

    private static func dayFromLast(_ back: Int) -> String {
        back == 0 ? "the last day" : "the \(Words.nth(back)) day before the last"
    }

    /// The weekdays, in words that follow “on”.
    func weekdays(_ conjunction: String) -> String {
        var items: [String]
        switch ValuePattern(sets.weekdays, .weekday) {
        case .run(let first, let last): items = ["\(Words.weekday(first)) to \(Words.weekday(last))"]
        case .list(let values): items = Words.items(values, Words.weekday)
        default: items = Bits(sets.weekdays).map(Words.weekday)
        }
        items += Bits(rules.ordinals).map { "the \(Words.ordinal(($0 >> 3) + 1)) \(Words.weekday($0 & 7))" }
        items += Bits(rules.lastWeekdays).map { "the last \(Words.weekday($0))" }
        return Words.list(items, conjunction)
    }
}
