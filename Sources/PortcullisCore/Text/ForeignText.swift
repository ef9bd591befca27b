/// Text that another program or person wrote, such as an app's label or a file's path, made fit to be shown.
///
/// A terminal obeys control characters, and bidirectional marks make it show a text in another order than it has.
/// Characters that nothing is seen of let two different names look the same. Whatever a list, a message or a screen
/// shows of such text goes through here.
public enum ForeignText: Sendable {
    /// What stands for a character that must not be shown.
    public static let replacement: Character = "\u{FFFD}"

    /// More marks than any script puts on one letter; a pile of them reaches into the rows around it.
    private static let marks = 4

    /// The text as one line that a terminal shows as it is.
    ///
    /// Line ends and tabs become blanks. Control characters, bidirectional marks and characters that nothing is seen
    /// of become ``replacement``. Those that only tag the letter or emoji before them are left out, as are marks
    /// beyond the fourth on one letter; joiners stay where scripts and emoji need them, and never after ASCII. All
    /// other characters stay, blanks at the ends included.
    ///
    /// - Parameter text: of any length; time grows with it.
    /// - Returns: a line without characters of the categories Cc, Zl and Zp, and of Cf none but those joiners.
    public static func line(_ text: String) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for character in text { append(character, to: &result) }
        return result
    }

    /// JSON as it is, with every character escaped that a terminal would obey or that nothing is seen of.
    ///
    /// A parser reads the same value from it; encoders leave some of these characters as they are.
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
        // Most text by far.
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

    /// Whether a terminal obeys it, or nothing is seen of it.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        // Those that choose between two looks of the character before them are seen.
        case .nonspacingMark: return scalar.properties.isDefaultIgnorableCodePoint && !isSelector(scalar)
        default: return scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    private static func isSelector(_ scalar: Unicode.Scalar) -> Bool {
        (0xFE00...0xFE0F).contains(scalar.value)
    }

    /// The zero-width joiner and non-joiner.
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
