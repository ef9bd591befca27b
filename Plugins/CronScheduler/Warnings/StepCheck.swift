internal import AdapterKit
internal import PortcullisCore

/// Finds steps with fewer values, or less even pauses, than their author may expect. The text is checked,
/// because a parsed expression does not show steps: of `*/90` only the value 0 is left.
struct StepCheck {
    private let text: [UInt8]
    private let fields: [Range<Int>]
    private let sets: FieldSets

    init(_ text: String, _ sets: FieldSets) {
        let parser = ExpressionParser(text)
        self.text = parser.text
        fields = ExpressionParser.words(of: parser.trimmed)
        self.sets = sets
    }

    var warnings: [CronWarning] {
        var words = fields
        if let first = words.first, text[first].contains(.equals) { words.removeFirst() }
        var units: [FieldUnit] = [.minute, .hour, .day, .month, .weekday]
        if words.count > 5 { units.insert(.second, at: 0) }
        // A nickname such as `@daily` is one word, which has no step. A seventh field, the year, has no unit
        // here and is not checked.
        return zip(words, units).flatMap { (word, unit) -> [CronWarning] in
            let items = text[word].split(separator: .comma)
            var seen: Set<ArraySlice<UInt8>> = []
            var warnings: [CronWarning] = []
            for item in items where warnings.count < Self.mostOfField && seen.insert(item).inserted {
                if let warning = warning(item, unit, isAlone: items.count == 1) { warnings.append(warning) }
            }
            return warnings
        }
    }

    /// The largest number of warnings about one field. A list often has the same mistake in each item.
    private static let mostOfField = 3

    private func warning(_ item: ArraySlice<UInt8>, _ unit: FieldUnit, isAlone: Bool) -> CronWarning? {
        guard let slash = item.firstIndex(of: .slash),
            let step = Int(String(decoding: item[(slash + 1)...], as: UTF8.self)), step > 1
        else { return nil }
        var parser = FieldParser(text, item.startIndex..<item.endIndex, unit)
        // The item was parsed before as part of the expression, so parsing it again does not fail.
        guard (try? parser.parse()) != nil else { return nil }
        let values = Array(Bits(parser.values))
        guard let first = values.first, let last = values.last else { return nil }
        if first == last { return oversized(step, first, unit, item, isAlone: isAlone) }
        // If an item runs through the whole field, the pause from its last value to the field's next round
        // may be shorter than the step. Another item of the field may have a value in this pause. So only an
        // item that is alone in its field is checked.
        let isWhole = isAlone && first == unit.first && last + step > unit.last
        guard isWhole, unit.field == .day || !unit.count.isMultiple(of: step), startsAgain(unit, after: last)
        else { return nil }
        return uneven(step, last, unit)
    }

    private func oversized(
        _ step: Int,
        _ value: Int,
        _ unit: FieldUnit,
        _ item: ArraySlice<UInt8>,
        isAlone: Bool
    ) -> CronWarning {
        let (preposition, name): (String, String) =
            switch unit.field {
            case .month: ("in", Words.month(value))
            case .weekday: ("on", Words.weekday(value))
            case .day: ("on", "the \(Words.nth(value))")
            default: ("at", "\(unit.field) \(value)")
            }
        let isWhole = item.first == .star
        // `isOther` says whether the expression may also fire at times that this item does not name. Other
        // items of the list name further times. If a date needs to match only one of the day and weekday
        // fields, the other field adds times too.
        let isOther = !isAlone || sets.isEitherDay && (unit.field == .day || unit.field == .weekday)
        let interval = step > unit.count && isWhole && isAlone ? Self.interval(step, unit.field) : nil
        return CronWarning(
            code: .oversizedStep,
            field: unit.field,
            message: "a step of \(step) goes beyond the \(isWhole ? "\(unit.field) field" : "range"): "
                + (isOther ? "\(item.shown) is \(name) only" : "it fires \(preposition) \(name) only"),
            hint: interval.map { "for a pause that long write \($0)" } ?? "write \(value)"
        )
    }

    private func uneven(_ step: Int, _ last: Int, _ unit: FieldUnit) -> CronWarning {
        let pause = unit.first + unit.count - last
        let plural = pause == 1 ? "" : "s"
        let message: String =
            switch unit.field {
            case .day:
                "starts again on the 1st of each month: after the \(Words.nth(last)) comes the 1st"
            case .month:
                "starts again each January: after \(Words.month(last)) the pause is \(pause) month\(plural)"
            case .weekday:
                "starts again each Sunday: after \(Words.weekday(last)) the pause is \(pause) day\(plural)"
            default:
                "starts again at \(unit.field) 0: after \(last) the pause is \(pause) \(unit.field)\(plural)"
            }
        let divides = "for equal pauses take a step that divides \(unit.count)"
        let interval = Self.interval(step, unit.field).map { "for equal pauses write \($0)" }
        return CronWarning(
            code: .unevenStep,
            field: unit.field,
            message: "a step of \(step) \(message)",
            hint: interval ?? divides
        )
    }

    /// The text of an `@every` expression with a pause of `step` units of the field; `nil` for months and
    /// years. The step may exceed the field's greatest value: 90 is no useful step of minutes, but a useful
    /// pause.
    private static func interval(_ step: Int, _ field: CronField) -> String? {
        switch field {
        case .second: "@every \(step)s"
        case .minute: "@every \(step)m"
        case .hour: "@every \(step)h"
        case .day, .weekday: "@every \(step)d"
        case .month, .year: nil
        }
    }
}

// A step that does not divide its field has a shorter pause where the field starts again: `*/7` minutes
// pauses for 4 minutes between 56 and 0. This part checks whether that pause ever occurs, because the other
// fields may exclude it.
extension StepCheck {
    /// The number of days that are searched: eight years, in which all but the rarest dates occur.
    private static let period = 8 * 366

    /// Whether the expression can fire at the field's first value directly after `last`. `last` is the last
    /// value that the step reaches.
    private func startsAgain(_ unit: FieldUnit, after last: Int) -> Bool {
        switch unit.field {
        case .second: isFollowed(sets.minutes, 60) { minutesStartAgain }
        case .minute: minutesStartAgain
        case .hour: hoursStartAgain
        case .day:
            !sets.isEitherDay
                && hasDates {
                    let (from, to) = (Gregorian.date(ofDay: $0), Gregorian.date(ofDay: $1))
                    return from.day == last && to.day == 1 && $1 - $0 <= unit.count - last + 1
                }
        case .month:
            hasDates {
                let (from, to) = (Gregorian.date(ofDay: $0), Gregorian.date(ofDay: $1))
                return from.month == last && to.month == 1 && to.year == from.year + 1
            }
        case .weekday:
            !sets.isEitherDay
                && hasDates { Gregorian.weekday(ofDay: $0) == last && $1 - $0 == unit.count - last }
        case .year: false
        }
    }

    private var minutesStartAgain: Bool { isFollowed(UInt64(sets.hours), 24) { hoursStartAgain } }

    private var hoursStartAgain: Bool { hasDates { $1 == $0 + 1 } }

    /// Whether a set contains two consecutive values of a unit. If `startsAgain` returns `true`, the unit's
    /// last value and first value count as consecutive too.
    ///
    /// - Parameters:
    ///   - values: the set, with one bit for each value of the unit.
    ///   - count: the number of the unit's values.
    private func isFollowed(_ values: UInt64, _ count: Int, _ startsAgain: () -> Bool) -> Bool {
        if values & (values >> 1) != 0 { return true }
        return values & 1 != 0 && values >> (count - 1) & 1 != 0 && startsAgain()
    }

    /// Whether any two consecutive dates of the expression satisfy the condition.
    private func hasDates(_ isSought: (Int, Int) -> Bool) -> Bool {
        guard let first = sets.date(from: 0) else { return false }
        var date = first
        while date < first + Self.period, let next = sets.date(from: date + 1) {
            if isSought(date, next) { return true }
            date = next
        }
        return false
    }
}
