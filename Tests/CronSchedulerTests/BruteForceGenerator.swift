/// Random numbers that come again with the same seed.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Makes random expressions, of which many name hours at which clocks change.
struct ExpressionGenerator {
    var random: Seeded

    init(seed: UInt64) { random = Seeded(seed) }

    /// An expression of five to seven fields.
    mutating func expression() -> String {
        let hasSeconds = chance(15)
        let minute = minute(sparse: hasSeconds)
        var text = hasSeconds ? pick(["0", "*/20", "30", "59", "58,59", "15-45/15", "50-5/7"]) + " " : ""
        text += "\(minute) \(hour()) \(chance(65) ? "*" : day()) \(chance(80) ? "*" : month()) "
        text += chance(60) ? "*" : weekday()
        if hasSeconds, chance(30) { text += " " + pick(["*", "2000-2099", "1970/2", "2011,2018,2023-2030"]) }
        return text
    }

    /// The date fields of an expression at noon.
    mutating func dates() -> String { "0 12 \(chance(40) ? "*" : day()) \(month()) \(weekday())" }

    mutating func pick(_ choices: [String]) -> String { choices.randomElement(using: &random) ?? "*" }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    private mutating func minute(sparse: Bool) -> String {
        let some = [
            "0", "30", "\(number(0...59))", "\(number(0...29)),\(number(30...59))", "\(number(0...59))/17",
            "59",
        ]
        if sparse { return pick(some) }
        return pick(some + ["*", "*/7", "*/30", "*/10", "15-45", "50-10", "55-5/3"])
    }

    private mutating func hour() -> String {
        pick([
            "*", "*", "*/1", "0-23", "12-11", "*/2", "*/3", "1/2", "0", "1", "2", "3", "23", "2-4", "22-3",
            "0-2/2",
            "0,2,3", "1-23", "\(number(0...23))", "\(number(0...23))-\(number(0...23))",
            "\(number(0...23))/5",
        ])
    }

    private mutating func day() -> String {
        let one = [
            "?", "*/2", "1-15", "28-3", "10/5", "1,15", "L", "L-3", "LW", "L-2W", "1W", "15W", "31W", "30",
            "1W,15W,L",
            "\(number(1...31))", "\(number(1...31))-\(number(1...31))/2", "L-\(number(0...30))",
            "\(number(1...31))W",
            "*/5,L",
        ]
        return pick(one)
    }

    private mutating func month() -> String {
        pick([
            "*", "*", "3,10,11", "mar", "OCT-APR", "*/2", "1-12", "2", "dec", "\(number(1...12))", "11-2/2",
        ])
    }

    private mutating func weekday() -> String {
        pick([
            "?", "SUN", "0", "7", "5-7", "7-2", "sat-mon", "1-5", "0-7/2", "MON#2", "5#5", "0#L", "5L",
            "sunl", "*/2",
            "1/2", "*/2,3", "\(number(0...6))#\(number(1...5))", "\(number(0...6)),6L", "\(number(0...7))",
            "*",
        ])
    }
}
