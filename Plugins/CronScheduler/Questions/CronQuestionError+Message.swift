internal import PortcullisCore

extension CronQuestionError {
    /// The largest number of an expression's characters that are shown before a mistake. At most twice this
    /// number of characters are shown in all.
    private static let shown = 60

    /// Two lines: the part of the expression around a mistake, and a caret below the mistake.
    private static func place(_ position: Int, in expression: String) -> [String] {
        let start = max(0, position - shown)
        // The caret on the second line is placed by counting characters. If the safe form of a character is
        // not exactly one character long, a blank replaces it. So the caret stays below the mistake.
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

    /// The error in lines for a person: the reason, the expression with a caret below the mistake, and the
    /// hint.
    ///
    /// - Parameter expression: the text of the question's expression. Control characters for a terminal are
    ///   replaced in the message.
    public func message(about expression: String) -> String {
        var lines = [reason]
        if let position { lines += Self.place(position, in: expression) }
        if let hint { lines.append("  \(hint)") }
        return lines.joined(separator: "\n")
    }
}

extension Character {
    /// Whether the character is short enough to be shown. A character is a letter with all its combining
    /// accents, whose number has no limit.
    fileprivate var isShort: Bool { utf8.count <= 32 }
}
