internal import CronScheduler
internal import PortcullisCore

/// What is wrong with a question about an expression.
struct ScheduleFailure: Error {
    /// How many characters of the expression come before the mistake; `nil` when it is not in the expression.
    var position: Int?
    /// The field of the expression, or the member or option: `tz`, `after`, `count`.
    var field: String?
    var reason: String
    var hint: String?

    init(field: String? = nil, reason: String, hint: String? = nil) {
        self.field = field
        // A name of a zone or a time is shown in it, however long it is.
        self.reason = reason.cut(to: Self.longest)
        self.hint = hint?.cut(to: Self.longest)
    }

    /// The most bytes of a reason or a hint.
    private static let longest = 500

    init(_ error: CronSyntaxError) {
        position = error.position
        field = error.field?.rawValue
        reason = error.reason
        hint = error.hint
    }

    /// The most characters of an expression that are shown on either side of a mistake.
    private static let shown = 60

    /// The part of the expression around a mistake, with a mark below it.
    private static func place(_ position: Int, in expression: String) -> [String] {
        let start = max(0, position - shown)
        // What would move the mark away is shown as a blank.
        let part = expression.dropFirst(start).prefix(2 * shown)
            .map { character in
                let shown = character.isShort ? ForeignText.line(String(character)) : "�"
                return shown.count == 1 ? shown : " "
            }.joined()
        let isCut = expression.dropFirst(start + 2 * shown).first != nil
        let before = start > 0 ? "…" : ""
        return [
            "  \(before)\(part)\(isCut ? "…" : "")",
            "  \(String(repeating: " ", count: before.count + position - start))^",
        ]
    }

    /// For a person: the reason, the place in the expression, the hint.
    func message(about expression: String) -> String {
        var lines = [reason]
        if let position { lines += Self.place(position, in: expression) }
        if let hint { lines.append("  \(hint)") }
        return lines.joined(separator: "\n")
    }
}

extension Character {
    /// Whether it is short enough to be shown: one letter can have as many accents as the expression has bytes.
    fileprivate var isShort: Bool { utf8.count <= 32 }
}

extension String {
    /// The text, with `…` for what goes beyond so many bytes.
    func cut(to most: Int) -> String {
        guard utf8.count > most else { return self }
        var bytes = 0
        let scalars = unicodeScalars.prefix { scalar in
            bytes += UTF8.width(scalar)
            return bytes <= most
        }
        return String(scalars) + "…"
    }
}

/// A failure as JSON: all four members always, `null` where there is nothing to say.
struct FailureReport: Encodable {
    private enum Key: CodingKey { case error }
    private enum Member: CodingKey { case position, field, reason, hint }

    var failure: ScheduleFailure

    func encode(to encoder: any Encoder) throws {
        var report = encoder.container(keyedBy: Key.self)
        var members = report.nestedContainer(keyedBy: Member.self, forKey: .error)
        try members.encode(failure.position, forKey: .position)
        try members.encode(failure.field, forKey: .field)
        try members.encode(failure.reason, forKey: .reason)
        try members.encode(failure.hint, forKey: .hint)
    }
}
