/// The pause of an `@every`, in the units in which people usually say it.
struct EveryInterval: Sendable {
    private struct Part: Sendable {
        var count: Int
        var unit: Unit
    }

    private struct Unit: Sendable {
        var seconds: Int
        /// The smallest number that is written in this unit alone. One day, for example, is written as 24
        /// hours.
        var least = 1
        var letter: String
        var word: String
    }

    private static let units = [
        Unit(seconds: 86_400, least: 2, letter: "d", word: "day"),
        Unit(seconds: 3_600, letter: "h", word: "hour"),
        Unit(seconds: 60, letter: "m", word: "minute"), Unit(seconds: 1, letter: "s", word: "second"),
    ]
    /// The largest number that the parser accepts.
    private static let most = 1_000_000_000

    private let parts: [Part]

    init(seconds: Int) {
        // An interval of at most 120 whole units is described in that one unit, such as 90 minutes or 36 hours. Any
        // other interval is split into several units.
        let whole = Self.units.first {
            seconds.isMultiple(of: $0.seconds) && ($0.least...120).contains(seconds / $0.seconds)
        }
        if let whole {
            parts = [Part(count: seconds / whole.seconds, unit: whole)]
            return
        }
        var rest = seconds
        parts = Self.units.compactMap { unit in
            let count = min(rest / unit.seconds, Self.most)
            rest -= count * unit.seconds
            return count == 0 ? nil : Part(count: count, unit: unit)
        }
    }

    /// The text that follows `@every`: `90m`.
    var text: String { parts.map { "\($0.count)\($0.unit.letter)" }.joined() }

    /// The words that follow “every”: `90 minutes`, `hour`.
    var words: String {
        if parts.count == 1, parts[0].count == 1 { return parts[0].unit.word }
        return Words.list(parts.map { "\($0.count) \($0.unit.word)\($0.count == 1 ? "" : "s")" })
    }
}
