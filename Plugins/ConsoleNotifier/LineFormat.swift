internal import AdapterKit
public import PortcullisCore

/// The format of a notification's line.
public enum LineFormat: Hashable, Sendable {
    /// Text such as `2026-11-21T06:30:00Z Apps Unlocked! You reached your goal.`, without control characters
    /// for a terminal.
    case plain
    /// One JSON object with `time`, `id`, `title` and `body`.
    case jsonLines

    /// Returns the line for a notification that is shown at this wall-clock time, without a newline.
    public func line(for notification: LockNotification, at wall: Duration) -> String {
        let time = Self.iso8601(wall)
        switch self {
        case .plain:
            let parts = [notification.title, notification.body].map(ForeignText.line).filter { !$0.isEmpty }
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
        let seconds = wall.wholeSeconds
        let days = seconds.floored(by: 86_400)
        let inDay = seconds - days * 86_400
        func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        let time = "\(two(inDay / 3_600)):\(two(inDay / 60 % 60)):\(two(inDay % 60))"
        return "\(CivilDate(daysSinceEpoch: days))T\(time)Z"
    }

    /// Returns a JSON string in which the control characters for a terminal are escaped.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return ForeignText.escaped(json: result) + "\""
    }
}
