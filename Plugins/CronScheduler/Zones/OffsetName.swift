/// A name such as `GMT+2` or `UTC-03:30`, which is no zone of the data.
///
/// Foundation invents a zone for it that lies east of Greenwich where POSIX, and with it cron and `TZ`, go west.
struct OffsetName: Hashable, Sendable {
    /// As it was written.
    private let name: String
    /// What follows the letters and the sign.
    private let digits: Substring

    /// - Returns: `nil` for every other name; `GMT0`, `GMT+0` and `GMT-0` are names of UTC.
    init?(_ name: String) {
        let letters = name.prefix(3).uppercased()
        guard letters == "GMT" || letters == "UTC", !["GMT0", "GMT+0", "GMT-0"].contains(name) else {
            return nil
        }
        var rest = name.dropFirst(3)
        if rest.first == "+" || rest.first == "-" { rest.removeFirst() }
        guard rest.utf8.first?.isDigit == true else { return nil }
        self.name = name
        digits = rest
    }

    /// Which zones it may stand for; `nil` where the data has none.
    var hint: String? {
        guard digits.utf8.count <= 2, let hours = Int(digits), (1...12).contains(hours) else { return nil }
        let unit = hours == 1 ? "hour" : "hours"
        return "\(name) has two meanings: write Etc/GMT-\(hours) for \(hours) \(unit) east of Greenwich, "
            + "Etc/GMT+\(hours) for \(hours) \(unit) west of it"
    }
}
