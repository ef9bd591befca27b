internal import AdapterKit
internal import PortcullisCore

/// The wait that a server demands before the next request: in the field `Retry-After` (RFC 9110, section
/// 10.2.3), or in a member of a body.
enum RetryAfter {
    /// The longest wait that a client accepts: a day. No server needs a longer wait. Without a limit, a
    /// malicious server could lock a device for years.
    private static let longest = Duration.seconds(86_400)

    /// Returns the wait that a response's body demands in seconds: at least zero, at most a day.
    static func wait(seconds: Int) -> Duration { max(.zero, min(longest, .seconds(seconds))) }

    /// Reads the wait from a field.
    ///
    /// - Parameters:
    ///   - field: seconds, or a date in the preferred form, `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///   - wall: the present time since 1970-01-01T00:00:00Z.
    /// - Returns: the wait, at most a day; `nil` for any other text.
    static func wait(_ field: String, at wall: Duration) -> Duration? {
        if !field.isEmpty, field.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return Int64(field).map { min(longest, .seconds($0)) } ?? longest
        }
        return date(field).map { max(.zero, min(longest, $0 - wall)) }
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func date(_ text: String) -> Duration? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT",
            let month = months.firstIndex(where: { $0 == parts[2] }),
            let day = Int(parts[1]), (1...31).contains(day),
            let year = Int(parts[3]), (1970...9999).contains(year)
        else { return nil }
        let time = parts[4].split(separator: ":").compactMap { Int($0) }
        guard time.count == 3, (0...23).contains(time[0]), (0...59).contains(time[1]),
            (0...60).contains(time[2])
        else { return nil }
        let days = CivilDate(year: year, month: month + 1, day: day).daysSinceEpoch
        return .seconds(days * 86_400 + time[0] * 3_600 + time[1] * 60 + time[2])
    }
}
