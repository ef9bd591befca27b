/// A name such as `GMT+2` or `UTC-03:30`, which the tz database does not have.
///
/// Foundation reads `GMT+2` as a zone east of Greenwich. In POSIX, and so for cron and `TZ`, `GMT+2` means a
/// zone to the west.
struct OffsetName: Hashable, Sendable {
    /// The name as it was written.
    private let name: String
    /// The part of the name after the letters and the sign.
    private let digits: Substring

    /// Recognizes a name such as `GMT+2`; `nil` for every other name. `GMT0`, `GMT+0` and `GMT-0` are names
    /// of UTC, so they give `nil` too.
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

    /// A hint that names the two zones that may be meant; `nil` if the database does not have them.
    var hint: String? {
        guard digits.utf8.count <= 2, let hours = Int(digits), (1...12).contains(hours) else { return nil }
        let unit = hours == 1 ? "hour" : "hours"
        return "\(name) has two meanings: write Etc/GMT-\(hours) for \(hours) \(unit) east of Greenwich, "
            + "Etc/GMT+\(hours) for \(hours) \(unit) west of it"
    }
}
