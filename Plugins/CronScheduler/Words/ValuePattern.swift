/// The pattern of a field's values, which decides how they are put into words.
enum ValuePattern: Hashable, Sendable {
    /// All values of the field.
    case all
    /// Values from the field's first one on, by a step that divides the field. So all pauses are equal.
    case even(step: Int)
    /// All values from the first to the last. For months and weekdays the range may wrap around the field's end.
    case run(first: Int, last: Int)
    /// Values from the first to the last, by a step of two or more.
    case steps(first: Int, last: Int, step: Int)
    /// Values that have no other pattern, or that are too few for a pattern.
    case list([Int])

    init(_ bits: some FixedWidthInteger & UnsignedInteger, _ unit: FieldUnit) {
        let values = Array(Bits(bits))
        guard values.count < unit.count else {
            self = .all
            return
        }
        self =
            Self.steps(values, unit) ?? Self.run(values, unit)
            ?? .list(unit.field == .weekday ? Self.mondayFirst(values) : values)
    }

    private static func steps(_ values: [Int], _ unit: FieldUnit) -> ValuePattern? {
        guard values.count >= 2 else { return nil }
        let (first, last, step) = (values[0], values[values.count - 1], values[1] - values[0])
        guard step > 1, zip(values, values.dropFirst()).allSatisfy({ $1 - $0 == step }) else { return nil }
        // Minutes 0 and 30 are clearer as a step, but hours 0 and 12 are clearer as two times. So minutes and
        // seconds need two values for an `even` pattern, and other fields three.
        let isShort = unit.field == .second || unit.field == .minute
        if first == unit.first, last + step == unit.last + 1, values.count >= (isShort ? 2 : 3) {
            return .even(step: step)
        }
        return values.count >= 4 ? .steps(first: first, last: last, step: step) : nil
    }

    private static func run(_ values: [Int], _ unit: FieldUnit) -> ValuePattern? {
        guard values.count >= 3 else { return nil }
        let isCyclic = unit.field == .month || unit.field == .weekday
        var gaps = values.indices.dropFirst().filter { values[$0] != values[$0 - 1] + 1 }
        if values[0] + unit.count != values[values.count - 1] + 1 || !isCyclic { gaps.append(0) }
        guard gaps.count == 1 else { return nil }
        let start = gaps[0]
        return .run(first: values[start], last: values[(start + values.count - 1) % values.count])
    }

    private static func mondayFirst(_ values: [Int]) -> [Int] {
        values.filter { $0 != 0 } + values.filter { $0 == 0 }
    }
}

/// A range of consecutive values.
struct ValueRun: Hashable, Sendable {
    var first: Int
    var last: Int

    var count: Int { last - first + 1 }

    /// The ranges of consecutive values in a rising sequence.
    static func runs(in values: some Sequence<Int>) -> [ValueRun] {
        var runs: [ValueRun] = []
        for value in values {
            if let last = runs.last, last.last + 1 == value {
                runs[runs.count - 1].last = value
            } else {
                runs.append(ValueRun(first: value, last: value))
            }
        }
        return runs
    }
}
