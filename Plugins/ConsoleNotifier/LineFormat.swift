public import PortcullisCore

/// How a notification becomes a line.
public enum LineFormat: Hashable, Sendable {
    /// `2026-11-21T06:30:00Z Apps Unlocked! You reached your goal.`, with nothing that a terminal would obey.
    case plain
    /// One JSON object with `time`, `id`, `title` and `body`.
    case jsonLines

    /// The line for a notification that is shown at a wall time, without a newline.
    public func line(for notification: LockNotification, at wall: Duration) -> String {
        let time = Self.iso8601(wall)
        switch self {
        case .plain:
            let parts = [notification.title, notification.body].map(Self.harmless).filter { !$0.isEmpty }
            return ([time] + parts).joined(separator: " ")
        case .jsonLines:
            let fields = [
                ("time", time), ("id", notification.id), ("title", notification.title),
                ("body", notification.body),
            ]
            return "{" + fields.map { "\"\($0)\":\(Self.quoted($1))" }.joined(separator: ",") + "}"
        }
    }

    private static func iso8601(_ wall: Duration) -> String {
        let seconds = Int(wall.components.seconds)
        let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
        let inDay = seconds - days * 86_400
        func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        let time = "\(two(inDay / 3_600)):\(two(inDay / 60 % 60)):\(two(inDay % 60))"
        return "\(CivilDate(daysSinceEpoch: days))T\(time)Z"
    }

    /// Whether a character could move the cursor, change the terminal, or turn text around.
    private static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    private static func harmless(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n", "\r", "\t", "\u{2028}", "\u{2029}": result.append(" ")
            case _ where isDangerous(scalar): result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// A JSON string.
    ///
    /// Written here because `JSONEncoder` lets DEL, the C1 controls and the bidirectional overrides through, which
    /// are harmless to a parser and not to a terminal.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where isDangerous(scalar):
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
