internal import AdapterKit

/// A time in the form of ISO 8601: `2026-11-21T08:30:00+02:00`. A time without an offset is a local time in a
/// zone that is given later.
public struct TimeStamp: Sendable, Hashable {
    /// Seconds since 1970-01-01T00:00 on the wall clock.
    private var local: Int
    /// Seconds east of UTC; `nil` for a time on the clocks of a zone that is given later.
    private var offset: Int?
    /// Whether the time has a fraction of a second.
    private var hasFraction = false

    /// Reads the output of ``append(_:in:to:)``, or a date and time with `Z`, an offset or neither. The time
    /// may lack seconds, or have a fraction of a second. A date alone means its first second.
    ///
    /// - Returns: `nil` for any other text.
    public init?(_ text: String) {
        var reader = Reader(text: Array(text.utf8))
        guard let day = reader.date() else { return nil }
        local = day * 86_400
        if reader.isAtEnd { return }
        guard reader.take("T") || reader.take("t") || reader.take(" "), let time = reader.clock() else {
            return nil
        }
        local += time
        hasFraction = reader.sawFraction
        guard !reader.isAtEnd else { return }
        if !(reader.take("Z") || reader.take("z")) {
            guard let written = reader.offset() else { return nil }
            offset = written
        } else {
            offset = 0
        }
        guard reader.isAtEnd else { return nil }
    }

    /// The time in seconds since 1970-01-01T00:00:00Z, rounded down. If the zone's clocks skip the time, the
    /// result is the end of the gap. If they show the time twice, the result is the first occurrence.
    public func second(in zone: ZoneRules) -> Int {
        offset.map { local - $0 } ?? zone.second(showing: local)
    }

    /// The result of ``second(in:)``, but with a fraction of a second rounded up.
    public func secondRoundedUp(in zone: ZoneRules) -> Int { second(in: zone) + (hasFraction ? 1 : 0) }
}

extension TimeStamp {
    /// Reads the text from left to right.
    private struct Reader {
        var text: [UInt8]
        var place = 0
        var sawFraction = false

        var isAtEnd: Bool { place == text.count }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard place < text.count, text[place] == UInt8(ascii: character) else { return false }
            place += 1
            return true
        }

        /// Reads a number with exactly this many digits.
        mutating func number(_ digits: Int, upTo last: Int = .max) -> Int? {
            guard place + digits <= text.count else { return nil }
            var number = 0
            for byte in text[place..<place + digits] {
                guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
                number = number * 10 + Int(byte - UInt8(ascii: "0"))
            }
            place += digits
            return number <= last ? number : nil
        }

        /// Reads a year. Without a sign it has four digits. Years before 0 and after 9999 have a sign and
        /// four to nine digits.
        mutating func year() -> Int? {
            let isNegative = take("-")
            guard isNegative || take("+") else { return number(4) }
            let digits = text[place...].prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
            guard (4...9).contains(digits.count), let year = number(digits.count) else { return nil }
            return isNegative ? -year : year
        }

        /// Reads a date, and returns its day number.
        mutating func date() -> Int? {
            guard let year = year(), take("-"), let month = number(2, upTo: 12), take("-"), month > 0,
                let day = number(2, upTo: Gregorian.length(ofMonth: month, in: year)), day > 0
            else { return nil }
            return Gregorian.dayNumber(year: year, month: month, day: day)
        }

        /// Reads a time of day, and returns the second of the day.
        mutating func clock() -> Int? {
            guard let hour = number(2, upTo: 23), take(":"), let minute = number(2, upTo: 59) else {
                return nil
            }
            var second = 0
            if take(":") {
                guard let written = number(2, upTo: 59) else { return nil }
                second = written
                if take(".") || take(",") {
                    guard var digit = number(1) else { return nil }
                    repeat {
                        if digit > 0 { sawFraction = true }
                        guard let next = number(1) else { break }
                        digit = next
                    } while true
                }
            }
            return hour * 3_600 + minute * 60 + second
        }

        /// Reads an offset: `+02:00`, `+0200`, `+02`, or one with seconds, as in old zones: `+01:36:14`.
        mutating func offset() -> Int? {
            let sign: Int
            if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
            guard let hours = number(2, upTo: 23) else { return nil }
            guard !isAtEnd else { return sign * hours * 3_600 }
            let hasColon = take(":")
            guard let minutes = number(2, upTo: 59) else { return nil }
            var offset = hours * 3_600 + minutes * 60
            if !isAtEnd, hasColon {
                guard take(":"), let seconds = number(2, upTo: 59) else { return nil }
                offset += seconds
            }
            return sign * offset
        }
    }
}

extension TimeStamp {
    /// Writes an instant, in seconds since 1970, as the zone's local time with its offset:
    /// `2017-05-14T23:30:00-04:00`. The offset of UTC is written as `+00:00`.
    ///
    /// Years after 9999 and before 0 get a sign. An offset that is not a whole number of minutes gets seconds.
    public static func append(_ second: Int, in zone: ZoneRules, to output: inout [UInt8]) {
        let offset = zone.offset(at: second)
        let local = second + offset
        let day = local.floored(by: 86_400)
        let time = local - day * 86_400
        let date = Gregorian.date(ofDay: day)
        if date.year < 0 { output.append(UInt8(ascii: "-")) }
        if date.year > 9_999 { output.append(UInt8(ascii: "+")) }
        let year = abs(date.year)
        if year > 9_999 {
            output += Array("\(year / 100)".utf8)
        } else {
            twoDigits(year / 100, to: &output)
        }
        twoDigits(year % 100, to: &output)
        twoDigits(date.month, after: "-", to: &output)
        twoDigits(date.day, after: "-", to: &output)
        twoDigits(time / 3_600, after: "T", to: &output)
        twoDigits(time / 60 % 60, after: ":", to: &output)
        twoDigits(time % 60, after: ":", to: &output)
        let distance = abs(offset)
        twoDigits(distance / 3_600, after: offset < 0 ? "-" : "+", to: &output)
        twoDigits(distance / 60 % 60, after: ":", to: &output)
        if distance % 60 > 0 { twoDigits(distance % 60, after: ":", to: &output) }
    }

    /// Returns the output of ``append(_:in:to:)`` as a text.
    public static func text(_ second: Int, in zone: ZoneRules) -> String {
        var bytes: [UInt8] = []
        append(second, in: zone, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func twoDigits(_ number: Int, after mark: Unicode.Scalar, to output: inout [UInt8]) {
        output.append(UInt8(ascii: mark))
        twoDigits(number, to: &output)
    }

    private static func twoDigits(_ number: Int, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "0") + UInt8(number / 10))
        output.append(UInt8(ascii: "0") + UInt8(number % 10))
    }
}
