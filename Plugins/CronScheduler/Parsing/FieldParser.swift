/// Parses one field of an expression.
struct FieldParser {
    let text: [UInt8]
    let unit: FieldUnit
    /// The offset in bytes of the next character.
    var place: Int
    /// The offset in bytes of the end of the field.
    let end: Int

    /// The values that the field names, as bits 0 to 63. Years are kept in ``years``.
    var values: UInt64 = 0
    var years: [RareRules.YearRange] = []
    var rare = RareRules.Sets()
    /// Whether the field starts with `*` or is `?`.
    private(set) var isStar = false

    init(_ text: [UInt8], _ field: Range<Int>, _ unit: FieldUnit) {
        self.text = text
        self.unit = unit
        self.place = field.lowerBound
        self.end = field.upperBound
    }

    /// Reads the whole field: items that are separated by commas.
    mutating func parse() throws(CronSyntaxError) {
        isStar = text[place] == .star || text[place] == .questionMark
        while true {
            try item()
            if years.count > RareRules.mostYears { throw tooManyYears() }
            guard place < end else { return }
            guard text[place] == .comma else { throw unexpected() }
            place += 1
        }
    }

    private var current: UInt8? { place < end ? text[place] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        place += 1
        return true
    }

    /// Consumes a letter in upper or lower case.
    private mutating func take(letter: UInt8) -> Bool {
        guard let byte = current, byte | 0x20 == letter else { return false }
        place += 1
        return true
    }

    private mutating func item() throws(CronSyntaxError) {
        let start = place
        switch current {
        case nil, .some(.comma):
            throw failure(
                .missingValue,
                at: start,
                "the \(unit.field) list has an empty item",
                "remove a comma"
            )
        case .some(.star):
            place += 1
            let step = try step() ?? 1
            try add(from: unit.firstOfAll(by: step), to: unit.last, step: step)
        case .some(.questionMark):
            try questionMark()
        case .some(let byte) where byte | 0x20 == .smallL && !isNameAhead:
            try lastDay()
        default:
            try valueOrRange()
        }
    }

    private mutating func questionMark() throws(CronSyntaxError) {
        guard unit.field == .day || unit.field == .weekday else {
            throw failure(.misplaced, at: place, "? is for the day and weekday fields", "write *")
        }
        let isPart = place > 0 && text[place - 1] == .comma || place + 1 < end && text[place + 1] == .comma
        guard !isPart else {
            throw failure(.misplaced, at: place, "? cannot be part of a list", "write the other values alone")
        }
        place += 1
        try add(from: unit.first, to: unit.last, step: 1)
    }

    /// Reads `L`, `L-3`, `LW` or `L-3W`.
    private mutating func lastDay() throws(CronSyntaxError) {
        let start = place
        place += 1
        guard unit.field == .day else {
            let hint =
                unit.field == .weekday
                ? "the last Friday of the month is 5L; Saturday is 6" : "L is for the day and weekday fields"
            let reason =
                unit.field == .weekday
                ? "L alone says nothing in the weekday field" : "L cannot stand in the \(unit.field) field"
            throw failure(.misplaced, at: start, reason, hint)
        }
        var back = 0
        if take(.hyphen) {
            let place = place
            guard let number = number() else {
                throw failure(
                    .missingValue,
                    at: place,
                    "L- wants a number of days",
                    "three days before the last is L-3"
                )
            }
            guard number <= 30 else {
                throw failure(
                    .outOfRange,
                    at: place,
                    "L-\(number) is out of range L-0–L-30",
                    "no month is longer"
                )
            }
            back = number
        }
        if take(letter: .smallW) { rare.nearestFromLast |= 1 << back } else { rare.fromLast |= 1 << back }
    }

    private mutating func valueOrRange() throws(CronSyntaxError) {
        let first = try value()
        switch current {
        case .some(.hyphen):
            place += 1
            let last = try value()
            try range(from: first, to: last, step: step() ?? 1)
        case .some(.slash):
            try add(from: first.number % wrap, to: unit.last, step: step() ?? 1)
        case .some(.hash):
            try ordinal(first.number % wrap, isWeekday: unit.field == .weekday)
        case .some(let byte) where byte | 0x20 == .smallW && unit.field == .day:
            place += 1
            rare.nearest |= 1 << first.number
        case .some(let byte) where byte | 0x20 == .smallL && unit.field == .weekday:
            place += 1
            rare.lastWeekdays |= 1 << (first.number % wrap)
        default:
            try add(from: first.number % wrap, to: first.number % wrap, step: 1)
        }
    }

    /// The modulus of the values. It turns weekday 7, the second number of Sunday, into 0. The values of all
    /// other fields stay as they are.
    private var wrap: Int { unit.field == .weekday ? 7 : .max }

    /// Reads the rest of `5#2` or `5#L`.
    private mutating func ordinal(_ weekday: Int, isWeekday: Bool) throws(CronSyntaxError) {
        guard isWeekday else {
            throw failure(
                .misplaced,
                at: place,
                "# is for the weekday field",
                "the second Friday is 5#2 there"
            )
        }
        place += 1
        let start = place
        if take(letter: .smallL) {
            rare.lastWeekdays |= 1 << weekday
            return
        }
        guard let number = number() else {
            throw failure(
                .missingValue,
                at: start,
                "# wants a number",
                "the second Friday is 5#2, the last 5#L"
            )
        }
        guard (1...5).contains(number) else {
            throw failure(
                .outOfRange,
                at: start,
                "#\(number) is out of range #1–#5",
                "a month has at most five of a weekday; the last is #L"
            )
        }
        rare.ordinals |= 1 << (weekday + 8 * (number - 1))
    }

    private struct Value {
        var number: Int
        var place: Int
    }

    /// Reads a number or a name that is in the field's range.
    private mutating func value() throws(CronSyntaxError) -> Value {
        let start = place
        if let number = number() {
            guard (unit.first...unit.largest).contains(number) else {
                throw failure(
                    .outOfRange,
                    at: start,
                    "\(unit.field) \(text[start..<place].shown) is out of range \(unit.first)–\(unit.largest)",
                    unit.hint(for: number)
                )
            }
            return Value(number: number, place: start)
        }
        let letters = text[start..<end].prefix { $0.isLetter }
        guard !letters.isEmpty else {
            guard current != nil, current != .comma, current != .slash else {
                throw failure(.missingValue, at: start, "a \(unit.field) is missing", unit.example)
            }
            throw unexpected()
        }
        // The only letter that can directly follow a name is an L, as in FRIL. So the name is all of the letters, or all but the last one.
        for length in [letters.count, letters.count - 1] {
            if let number = unit.value(named: letters.prefix(length)) {
                place = start + length
                return Value(number: number, place: start)
            }
        }
        throw unknownName(letters)
    }

    /// Whether the letters from the current position on contain a letter other than L and W.
    private var isNameAhead: Bool {
        text[place..<end].prefix { $0.isLetter }.contains { $0 | 0x20 != .smallL && $0 | 0x20 != .smallW }
    }

    private mutating func number() -> Int? {
        let start = place
        var number = 0
        while let byte = current, byte.isDigit {
            // A number from 100,000 on is too large for every field. Its further digits are dropped, because
            // an error message shows the number and should be short.
            if number < 100_000 { number = number * 10 + Int(byte - .zero) }
            place += 1
        }
        return place > start ? number : nil
    }

    /// Reads the number after a slash; `nil` if the next character is not a slash.
    private mutating func step() throws(CronSyntaxError) -> Int? {
        guard take(.slash) else { return nil }
        let start = place
        guard let step = number() else {
            throw failure(
                .invalidStep,
                at: start,
                "a step is missing after /",
                "every second \(unit.field) is */2"
            )
        }
        guard step > 0 else {
            throw failure(.invalidStep, at: start, "a step of 0 never moves on", "the smallest step is 1")
        }
        return step
    }

    private mutating func range(from first: Value, to last: Value, step: Int) throws(CronSyntaxError) {
        if unit.field == .weekday {
            // 7 is Sunday at either end of a range: 5-7 ends with Sunday, and 7-2 begins with it.
            if last.number == 7 {
                for number in stride(from: first.number, through: 7, by: step) { values |= 1 << (number % 7) }
                return
            }
        }
        let start = first.number % wrap
        if last.number >= start { return try add(from: start, to: last.number, step: step) }
        guard unit.field != .year else {
            throw failure(
                .invalidRange,
                at: first.place,
                "years \(first.number)-\(last.number) run backwards",
                "write the earlier year first"
            )
        }
        // The range wraps around: after the field's last value it continues with the field's first one.
        for number in stride(from: start, through: last.number + unit.count, by: step) {
            values |= 1 << (number > unit.last ? number - unit.count : number)
        }
    }

    private mutating func add(from first: Int, to last: Int, step: Int) throws(CronSyntaxError) {
        if unit.field == .year {
            years.append(RareRules.YearRange(first: first, last: last, step: step))
        } else if step == 1 {
            values |= (~0 &<< first) & ~(~1 &<< last)
        } else {
            for number in stride(from: first, through: last, by: step) { values |= 1 << number }
        }
    }
}
