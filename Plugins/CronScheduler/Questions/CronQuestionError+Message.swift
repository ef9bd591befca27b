internal import PortcullisCore

extension CronQuestionError {
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

    /// For a person, in lines: the reason, the expression with a mark below the mistake, the hint.
    ///
    /// - Parameter expression: the text that was asked about; what a terminal would obey is replaced in it.
    public func message(about expression: String) -> String {
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
