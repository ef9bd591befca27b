extension Duration {
    /// Reads a duration as a person types it: `15m`, `10s`, `1h30m`, `250ms`, or a number of seconds.
    ///
    /// - Parameter text: numbers up to 1,000,000, each with its unit: `ms`, `s`, `m` or `min`, `h`, `d`. A
    ///   single number without a unit counts seconds.
    /// - Returns: `nil` for every other text.
    package init?(shorthand text: String) {
        var total = Duration.zero
        var rest = text[...]
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            let unit = rest.dropFirst(digits.count).prefix { $0.isASCII && $0.isLetter }
            rest = rest.dropFirst(digits.count + unit.count)
            guard let number = Int64(digits), number <= 1_000_000 else { return nil }
            switch unit {
            case "ms": total += .milliseconds(number)
            case "s": total += .seconds(number)
            case "" where rest.isEmpty && digits.count == text.count: total = .seconds(number)
            case "m", "min": total += .seconds(number * 60)
            case "h": total += .seconds(number * 3600)
            case "d": total += .seconds(number * 86_400)
            default: return nil
            }
        }
        self = total
    }
}
