extension ZoneRule.Meaning {
    /// Parses the text in a zone file's footer.
    ///
    /// - Parameters:
    ///   - text: the text, such as `<-03>3<-02>,M3.5.0/-2,M10.5.0/-1`; not empty.
    ///   - isExtended: whether the text may contain times of day from −167 to 167 hours, which version 3 of
    ///     the format introduced. Otherwise only the times of POSIX are allowed, 0 to 24 hours.
    /// - Returns: `nil` for a text that RFC 9636 (3.3.1) does not allow.
    init?(footer text: ArraySlice<UInt8>, isExtended: Bool) {
        var reader = FooterReader(rest: text, isExtended: isExtended)
        guard let meaning = reader.meaning() else { return nil }
        self = meaning
    }
}

/// Parses a footer from the left.
private struct FooterReader {
    var rest: ArraySlice<UInt8>
    let isExtended: Bool

    mutating func meaning() -> ZoneRule.Meaning? {
        guard skipName(), let standard = offset() else { return nil }
        if rest.isEmpty { return .always(offset: standard) }
        guard skipName() else { return nil }
        var daylight = standard + 3_600
        if rest.first != UInt8(ascii: ",") {
            guard let own = offset() else { return nil }
            daylight = own
        }
        guard let begin = change(), let end = change(), rest.isEmpty else { return nil }
        let meaning = ZoneRule.meaning(
            of: ZoneRule.Change(day: begin.day, time: begin.time - standard, offset: daylight),
            ZoneRule.Change(day: end.day, time: end.time - daylight, offset: standard)
        )
        return meaning == .nothing ? nil : meaning
    }

    private mutating func take(_ letter: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: letter) else { return false }
        rest.removeFirst()
        return true
    }

    /// Skips a name of at least three letters, and returns whether there was one. In angle brackets a name
    /// may also hold digits and signs.
    private mutating func skipName() -> Bool {
        let isQuoted = take("<")
        let name = rest.prefix { byte in
            switch Unicode.Scalar(byte) {
            case "A"..."Z", "a"..."z": true
            case "0"..."9", "+", "-": isQuoted
            default: false
            }
        }
        rest = rest.dropFirst(name.count)
        return name.count >= 3 && (!isQuoted || take(">"))
    }

    /// Reads an offset and returns the seconds to add to UTC. In the text, offsets to the west of UTC are
    /// positive.
    private mutating func offset() -> Int? {
        let sign = take("-") ? 1 : -1
        if sign < 0 { _ = take("+") }
        return time(hours: 0...24).map { $0 * sign }
    }

    private mutating func change() -> (day: ZoneRule.Day, time: Int)? {
        guard take(","), let day = day() else { return nil }
        guard take("/") else { return (day, 7_200) }
        guard isExtended else { return time(hours: 0...24).map { (day, $0) } }
        let sign = take("-") ? -1 : 1
        if sign > 0 { _ = take("+") }
        return time(hours: 0...167).map { (day, $0 * sign) }
    }

    private mutating func day() -> ZoneRule.Day? {
        if take("J") { return number(in: 1...365).map { .withoutLeapDay($0) } }
        guard take("M") else { return number(in: 0...365).map { .withLeapDay($0) } }
        guard let month = number(in: 1...12), take("."), let week = number(in: 1...5), take("."),
            let weekday = number(in: 0...6)
        else { return nil }
        return .weekday(month: month, week: week, weekday: weekday)
    }

    /// Reads a time such as `3`, `3:30` or `3:30:15`, and returns it in seconds.
    private mutating func time(hours: ClosedRange<Int>) -> Int? {
        guard var seconds = number(in: hours).map({ $0 * 3_600 }) else { return nil }
        for unit in [60, 1] {
            guard take(":") else { break }
            guard let part = number(in: 0...59) else { return nil }
            seconds += part * unit
        }
        return seconds
    }

    private mutating func number(in range: ClosedRange<Int>) -> Int? {
        let digits = rest.prefix { $0.isDigit }
        guard (1...3).contains(digits.count) else { return nil }
        rest = rest.dropFirst(digits.count)
        let number = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return range.contains(number) ? number : nil
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
