/// Text that somebody else wrote, such as an app's label, made fit for a screen.
public enum ForeignText: Sendable {
    /// More marks than any script puts on one letter; a pile of them reaches into the rows around it.
    private static let marks = 4

    /// The text in lines of at most so many cells, broken between words where that is possible; none of it is
    /// anything that a terminal would obey.
    ///
    /// - Parameters:
    ///   - text: what somebody wrote; its own line ends are kept as blanks.
    ///   - width: cells; at least 1 is taken.
    /// - Returns: at least one line, which is empty when nothing visible was written.
    public static func lines(_ text: String, width: Int) -> [String] {
        CellWidth.wrap(line(text), to: width)
    }

    /// How many cells a text takes.
    public static func width(of text: String) -> Int { CellWidth.of(text) }

    /// The text as one line: blanks for line ends and tabs, no character that takes no cell, no pile of marks, no
    /// joined emoji, which many terminals draw as several.
    ///
    /// - Parameters:
    ///   - text: what somebody wrote.
    ///   - fallback: what is shown when nothing visible is left of it.
    static func line(_ text: String, or fallback: String = "") -> String {
        let shown = visible(text)
        return shown.isEmpty ? visible(fallback) : shown
    }

    private static func visible(_ text: String) -> String {
        var result = ""
        for character in text {
            guard !character.isWhitespace, CellWidth.of(character) > 0 else {
                if character.isWhitespace, !result.isEmpty, result.last != " " { result.append(" ") }
                continue
            }
            result.append(single(character))
        }
        if result.last == " " { result.removeLast() }
        return result
    }

    private static func single(_ character: Character) -> Character {
        guard character.unicodeScalars.count > 1 else { return character }
        var scalars = String.UnicodeScalarView()
        for scalar in character.unicodeScalars {
            // Zero width joiner: what follows would be drawn into the same two cells, or beside them.
            if scalar.value == 0x200D || scalars.count > marks { break }
            // Such as the letters in a flag's tag, which nothing is seen of.
            if scalar.properties.generalCategory != .format { scalars.append(scalar) }
        }
        return String(scalars).first ?? "?"
    }
}
