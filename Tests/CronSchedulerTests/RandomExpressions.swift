/// Texts of expressions with everything that the syntax has.
enum RandomExpressions {
    private typealias Field = (first: Int, last: Int, names: [String])

    private static let second: Field = (0, 59, [])
    private static let hour: Field = (0, 23, [])
    private static let day: Field = (1, 31, [])
    private static let month: Field = (
        1, 12, ["JAN", "feb", "Mar", "APR", "MAY", "JUN", "jul", "AUG", "SEP", "OCT", "NOV", "dec"]
    )
    private static let weekday: Field = (0, 7, ["SUN", "mon", "Tue", "WED", "THU", "FRI", "SAT", "7"])

    /// An expression of five to seven fields.
    static func fields(using random: inout some RandomNumberGenerator) -> String {
        joined(parts(using: &random), count: [5, 5, 5, 6, 7].randomElement(using: &random) ?? 5)
    }

    /// An expression and others that differ from it in one field.
    static func variations(using random: inout some RandomNumberGenerator) -> [String] {
        let parts = parts(using: &random)
        let count = [5, 5, 6, 7].randomElement(using: &random) ?? 5
        var texts = [joined(parts, count: count)]
        for place in parts.indices {
            for _ in 0..<4 {
                var varied = parts
                varied[place] = Self.parts(using: &random)[place]
                texts.append(joined(varied, count: count))
            }
        }
        return texts
    }

    private static func joined(_ parts: [String], count: Int) -> String {
        (count == 5 ? Array(parts[1...5]) : Array(parts.prefix(count))).joined(separator: " ")
    }

    private static func parts(using random: inout some RandomNumberGenerator) -> [String] {
        [
            list(second, using: &random), list(second, using: &random), list(hour, using: &random),
            day(using: &random), list(month, using: &random), weekday(using: &random), year(using: &random),
        ]
    }

    private static func list(_ field: Field, using random: inout some RandomNumberGenerator) -> String {
        let count = [1, 1, 1, 2, 3, 6].randomElement(using: &random) ?? 1
        return (0..<count).map { _ in item(field, using: &random) }.joined(separator: ",")
    }

    private static func item(_ field: Field, using random: inout some RandomNumberGenerator) -> String {
        let first = value(field, using: &random)
        let last = value(field, using: &random)
        let step = Int.random(in: 1...(field.last + 3), using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: return "*"
        case 2, 3: return "*/\(step)"
        case 4: return "\(first)/\(step)"
        case 5: return "\(first)-\(last)"
        case 6: return "\(first)-\(last)/\(step)"
        default: return first
        }
    }

    private static func value(_ field: Field, using random: inout some RandomNumberGenerator) -> String {
        let number = Int.random(in: field.first...field.last, using: &random)
        if field.names.isEmpty || Bool.random(using: &random) { return "\(number)" }
        return field.names[number - field.first]
    }

    private static func day(using random: inout some RandomNumberGenerator) -> String {
        let number = Int.random(in: 1...31, using: &random)
        switch Int.random(in: 0..<16, using: &random) {
        case 0: return "?"
        case 1: return "L"
        case 2: return "L-\(number - 1)"
        case 3: return "LW"
        case 4: return "L-\(number - 1)W"
        case 5: return "\(number)W"
        case 6: return list(day, using: &random) + ",L,\(number)W"
        case 7...10: return "*"
        default: return list(day, using: &random)
        }
    }

    private static func weekday(using random: inout some RandomNumberGenerator) -> String {
        let number = Int.random(in: 0...7, using: &random)
        switch Int.random(in: 0..<16, using: &random) {
        case 0: return "?"
        case 1: return "\(number)L"
        case 2: return "\(weekday.names[number])#\(Int.random(in: 1...5, using: &random))"
        case 3: return "\(number)#L"
        case 4: return list(weekday, using: &random) + ",\(number)#2,\(number)L"
        case 5...8: return "*"
        default: return list(weekday, using: &random)
        }
    }

    private static func year(using random: inout some RandomNumberGenerator) -> String {
        let first = Int.random(in: Bool.random(using: &random) ? 1...12 : 1970...2030, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return "\(first)"
        case 1: return "\(first)-\(first + 20)"
        case 2: return "\(first)/\(Int.random(in: 1...9, using: &random))"
        case 3: return "\(first),\(first + 3)-\(first + 30)/3"
        case 4: return "*/\(Int.random(in: 1...9, using: &random))"
        default: return "*"
        }
    }
}

extension RandomExpressions {
    /// A generator that repeats its numbers (SplitMix64).
    struct Generator: RandomNumberGenerator {
        private var state: UInt64

        init(seed: UInt64) { state = seed }

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}
