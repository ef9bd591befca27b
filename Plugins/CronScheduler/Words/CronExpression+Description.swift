extension CronExpression: CustomStringConvertible {
    /// The canonical text of the expression. Reading it gives an equal expression.
    ///
    /// The text has seconds and years only if they matter. Consecutive values are written as a range, and values at
    /// equal distances as a step. Months and weekdays have their names. A nickname is replaced by its fields.
    public var description: String {
        let prefix = zoneName.map { "CRON_TZ=\($0) " } ?? ""
        switch rule {
        case .fields(let sets): return prefix + sets.text
        case .every(let seconds): return prefix + "@every " + EveryInterval(seconds: seconds).text
        case .reboot: return prefix + "@reboot"
        }
    }
}

extension FieldSets {
    /// The text of the five to seven fields.
    fileprivate var text: String {
        let rules = rare?.sets ?? RareRules.Sets()
        var fields = [
            FieldText.free(minutes, .minute),
            FieldText.free(hours, .hour),
            FieldText.day(days, .day, isStar: traits.contains(.dayStar), rules.dayItems),
            FieldText.free(months, .month),
            FieldText.day(weekdays, .weekday, isStar: traits.contains(.weekdayStar), rules.weekdayItems),
        ]
        if seconds != 1 || rules.years != nil { fields.insert(FieldText.free(seconds, .second), at: 0) }
        if let years = rules.years { fields.append(years.map(\.text).joined(separator: ",")) }
        return fields.joined(separator: " ")
    }
}

extension RareRules.Sets {
    fileprivate var dayItems: [String] {
        Bits(fromLast).map { $0 == 0 ? "L" : "L-\($0)" } + Bits(nearest).map { "\($0)W" }
            + Bits(nearestFromLast).map { $0 == 0 ? "LW" : "L-\($0)W" }
    }

    fileprivate var weekdayItems: [String] {
        Bits(ordinals).map { "\(FieldUnit.weekday.name($0 & 7))#\(($0 >> 3) + 1)" }
            + Bits(lastWeekdays).map { "\(FieldUnit.weekday.name($0))L" }
    }
}

extension RareRules.YearRange {
    /// Whether the range is the same as `*` with its step.
    var isStar: Bool {
        last == FieldUnit.year.last && first == FieldUnit.year.firstOfAll(by: step)
    }

    fileprivate var text: String {
        if step == 1 { return first == last ? "\(first)" : "\(first)-\(last)" }
        if isStar { return "*/\(step)" }
        return last == FieldUnit.year.last ? "\(first)/\(step)" : "\(first)-\(last)/\(step)"
    }
}

/// Writes one field as text.
private enum FieldText {
    /// The text of a field in which `*` only names values. In the day and weekday fields, `*` also decides
    /// how the two fields are combined.
    static func free(_ bits: some FixedWidthInteger & UnsignedInteger, _ unit: FieldUnit) -> String {
        switch ValuePattern(bits, unit) {
        case .all: "*"
        case .even(let step): "*/\(step)"
        case .steps(unit.first, let last, let step) where last + step > unit.last: "*/\(step)"
        case let pattern: text(pattern, unit)
        }
    }

    /// The text of the day field or the weekday field. The text's first character decides how the two fields
    /// are combined.
    static func day(
        _ bits: some FixedWidthInteger & UnsignedInteger,
        _ unit: FieldUnit,
        isStar: Bool,
        _ more: [String]
    ) -> String {
        guard bits != 0 else { return more.joined(separator: ",") }
        let values = isStar ? starred(Array(Bits(bits)), unit) : text(ValuePattern(bits, unit), unit)
        return ([values] + more).joined(separator: ",")
    }

    /// The text of values that include the field's first value. It is `*` if the values are all values of the
    /// field. Otherwise it consists of `*` with a step, and the values that the step does not reach.
    private static func starred(_ values: [Int], _ unit: FieldUnit) -> String {
        guard values.count < unit.count else { return "*" }
        let set = Set(values)
        // A step as large as the field stands only for the field's first value. So it is used only if no
        // smaller step matches.
        let step =
            (2..<unit.count).first { step in
                stride(from: unit.first, through: unit.last, by: step).allSatisfy(set.contains)
            } ?? unit.count
        let rest = values.filter { !($0 - unit.first).isMultiple(of: step) }
        return (["*/\(step)"] + rest.map(unit.name)).joined(separator: ",")
    }

    /// The text of a field's values, written without `*`.
    private static func text(_ pattern: ValuePattern, _ unit: FieldUnit) -> String {
        switch pattern {
        case .all: "\(unit.name(unit.first))-\(unit.name(unit.last))"
        case .even(let step): "\(unit.name(unit.first))-\(unit.name(unit.last))/\(step)"
        case .run(let first, let last): "\(unit.name(first))-\(unit.name(last))"
        case .steps(let first, let last, let step): "\(unit.name(first))-\(unit.name(last))/\(step)"
        case .list(let values):
            ValueRun.runs(in: values)
                .flatMap { run in
                    run.count >= 3
                        ? ["\(unit.name(run.first))-\(unit.name(run.last))"]
                        : (run.first...run.last).map(unit.name)
                }
                .joined(separator: ",")
        }
    }
}

extension FieldUnit {
    /// The text of a value: its name if the field has names, else its number.
    fileprivate func name(_ value: Int) -> String {
        guard !names.isEmpty else { return "\(value)" }
        return String(decoding: names[value - first], as: UTF8.self).uppercased()
    }
}
