public import PortcullisCore

extension ForeignText {
    /// The text in lines of at most so many cells, broken between words where that is possible; none of it is
    /// anything that a terminal would obey.
    ///
    /// - Parameters:
    ///   - text: what another program or person wrote; its own line ends are kept as blanks.
    ///   - width: cells; at least 1 is taken.
    /// - Returns: at least one line, which is empty when nothing visible was written.
    public static func lines(_ text: String, width: Int) -> [String] {
        CellWidth.wrap(tidy(text), to: width)
    }

    /// How many cells a text takes.
    public static func width(of text: String) -> Int { CellWidth.of(text) }

    /// The text as one line for a screen: as ``line(_:)`` has it, with single blanks between words and none at the
    /// ends, and without joiners: many terminals draw a joined emoji as several, or in one place.
    static func tidy(_ text: String) -> String {
        let words = line(text).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return String(String.UnicodeScalarView(words.unicodeScalars.filter { !isJoiner($0) }))
    }

    /// The text as ``tidy(_:)`` has it, or another one in its place when nothing visible is left of it.
    static func line(_ text: String, or fallback: String) -> String {
        let shown = tidy(text)
        return shown.contains { $0 != replacement && $0 != " " } ? shown : tidy(fallback)
    }
}
