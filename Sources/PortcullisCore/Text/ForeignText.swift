/// Makes text of other programs or people safe to show, such as an app's label or a file's path.
///
/// A terminal obeys control characters, and bidirectional marks change the order in which it shows a text.
/// Invisible characters let two different names look the same. Every list, message or screen passes such text
/// through these functions before it is shown.
public enum ForeignText: Sendable {
    /// The character that is shown in place of a forbidden character.
    public static let replacement: Character = "\u{FFFD}"

    /// The greatest number of combining marks on one letter. No script needs more, and a longer pile of marks
    /// would cover the rows above and below.
    private static let marks = 4

    /// Returns the text as one line that a terminal shows unchanged.
    ///
    /// Line ends and tabs become blanks. Control characters, bidirectional marks, invisible characters and
    /// combining marks without a letter become ``replacement``. The first four combining marks on a letter
    /// stay, even invisible ones such as variation selectors. Further combining marks are removed. Other
    /// invisible characters that belong to the letter or emoji before them are removed. Joiners (the
    /// zero-width joiner and the zero-width non-joiner) after an ASCII character are removed. Joiners after
    /// another letter or emoji stay, because scripts and emoji need them. All other characters stay,
    /// including blanks at the ends.
    ///
    /// - Parameter text: a text of any length; the time grows with the length.
    /// - Returns: a line without characters of the categories Cc, Zl and Zp. Joiners are the only characters
    ///   of the category Cf in the line.
    public static func line(_ text: String) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for character in text { append(character, to: &result) }
        return result
    }

    /// Escapes the characters of JSON that control a terminal. The method also escapes all invisible
    /// characters except joiners and the variation selectors U+FE00 to U+FE0F.
    ///
    /// A parser reads the same value from the result. The call is needed because JSON encoders leave some of
    /// these characters unescaped.
    ///
    /// - Parameter json: valid JSON without line ends and tabs between its values.
    public static func escaped(json: String) -> String {
        var result = ""
        for scalar in json.unicodeScalars {
            guard needsEscape(scalar) else {
                result.unicodeScalars.append(scalar)
                continue
            }
            for unit in UTF16.encode(scalar) ?? .init() {
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return result
    }

    private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
        isHidden(scalar) && !isJoiner(scalar)
    }

    private static func append(_ character: Character, to result: inout String) {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return }
        // Printable ASCII, which most text consists of, needs no further check.
        if scalars.count == 1, (0x20..<0x7F).contains(first.value) { return result.append(character) }
        if isLineEnd(first) { return result.append(" ") }
        guard !isHidden(first), !isMark(first) else { return result.append(replacement) }
        var count = 0
        for scalar in scalars {
            if isMark(scalar) {
                count += 1
                if count <= marks { result.unicodeScalars.append(scalar) }
            } else if !isHidden(scalar) || isJoiner(scalar) && !first.isASCII {
                result.unicodeScalars.append(scalar)
            }
        }
    }

    private static func isLineEnd(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    /// Whether a terminal obeys the character, or the character is invisible. The variation selectors U+FE00 to
    /// U+FE0F do not count as invisible here.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        // The variation selectors are kept, because they choose between two glyphs for the preceding
        // character.
        case .nonspacingMark: return scalar.properties.isDefaultIgnorableCodePoint && !isSelector(scalar)
        default: return scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    private static func isSelector(_ scalar: Unicode.Scalar) -> Bool {
        (0xFE00...0xFE0F).contains(scalar.value)
    }

    /// Whether the character is the zero-width joiner or the zero-width non-joiner.
    package static func isJoiner(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value == 0x200C || scalar.value == 0x200D
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: false
        }
    }
}
