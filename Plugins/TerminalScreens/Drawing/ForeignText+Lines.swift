public import PortcullisCore

extension ForeignText {
    /// Splits a foreign text into lines of a maximum width, between words where possible. The result contains
    /// no control characters for a terminal.
    ///
    /// - Parameters:
    ///   - text: the text of another program or person. Its own line ends become blanks.
    ///   - width: the maximum width in cells, at least 1.
    /// - Returns: at least one line. The line is empty when the text contains nothing visible.
    public static func lines(_ text: String, width: Int) -> [String] {
        CellWidth.wrap(tidy(text), to: width)
    }

    /// The number of cells that a text occupies.
    public static func width(of text: String) -> Int { CellWidth.of(text) }

    /// Returns a text as one line for a screen, as ``line(_:)`` does. Words are separated by one blank, and
    /// blanks at the ends are dropped. Joiners are removed, because many terminals draw the parts of a joined
    /// emoji side by side or on top of each other.
    static func tidy(_ text: String) -> String {
        let words = line(text).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return String(String.UnicodeScalarView(words.unicodeScalars.filter { !isJoiner($0) }))
    }

    /// Returns the text as ``tidy(_:)`` does, or `fallback` when only blanks and ``replacement`` characters
    /// are left of the text.
    static func line(_ text: String, or fallback: String) -> String {
        let shown = tidy(text)
        return shown.contains { $0 != replacement && $0 != " " } ? shown : tidy(fallback)
    }
}
