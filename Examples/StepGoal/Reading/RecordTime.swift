internal import PortcullisCore

/// A point in time in the form of a record, `2026-03-01 08:00:00 +0100`. The date is that of the record's own
/// zone.
struct RecordTime {
    var date: CivilDate
    var hour: StepSample.Hour?

    /// - Returns: `nil` for a text of another form. A date without a time is allowed.
    init?(_ text: String) {
        var rest = Substring(text)
        guard let year = rest.number(4), rest.take("-"), let month = rest.number(2), rest.take("-"),
            let day = rest.number(2), (1...12).contains(month), (1...Self.length(month, year)).contains(day)
        else { return nil }
        date = CivilDate(year: year, month: month, day: day)
        if rest.isEmpty { return }
        guard rest.take(" ") || rest.take("T"), let hour = rest.number(2), rest.take(":"),
            let minute = rest.number(2), rest.take(":"), let second = rest.number(2), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        _ = rest.take(" ")
        guard let offset = rest.offset(), rest.isEmpty else { return nil }
        self.hour = StepSample.Hour(number: hour, offset: offset)
    }

    private static func length(_ month: Int, _ year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }
}

extension Substring {
    fileprivate mutating func take(_ character: Character) -> Bool {
        guard first == character else { return false }
        removeFirst()
        return true
    }

    fileprivate mutating func number(_ digits: Int) -> Int? {
        let text = prefix(digits)
        guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        removeFirst(digits)
        return Int(text)
    }

    /// Minutes east of UTC, from `+0100`, `+01:00` or `Z`.
    fileprivate mutating func offset() -> Int? {
        if take("Z") { return 0 }
        let isWest = first == "-"
        guard take("+") || take("-"), let hours = number(2) else { return nil }
        _ = take(":")
        guard let minutes = number(2), minutes < 60 else { return nil }
        return (isWest ? -1 : 1) * (hours * 60 + minutes)
    }
}
