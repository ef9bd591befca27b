/// A manual page's text in the roff format, which `man` reads.
struct Roff {
    private(set) var text: String

    /// Makes a text with a comment in its first line.
    ///
    /// - Parameter comment: the comment, which only programs and readers of the source see.
    init(comment: String) { text = ".\\\" \(comment)\n" }

    /// Adds a request, such as `SH`. Its arguments are not escaped. They contain no quotation marks and no
    /// backslashes.
    mutating func request(_ name: String, _ arguments: String...) {
        text += ".\(name)" + arguments.map { " \"\($0)\"" }.joined() + "\n"
    }

    /// Adds words that are already formatted, wrapped into as many lines as they need.
    mutating func line(_ set: String) {
        var line = ""
        for word in set.split(separator: " ") {
            if !line.isEmpty, line.utf8.count + word.utf8.count >= Self.width {
                write(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        write(line)
    }

    /// The width of the source's lines, which fits terminals of 80 columns.
    private static let width = 78

    /// Adds a line of text. A line that begins like a request is escaped.
    private mutating func write(_ line: String) {
        text += (line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" : "") + line + "\n"
    }

    /// Adds paragraphs that are separated by blank lines. Indented lines become an example, which keeps its
    /// line breaks. Words in backquotes become bold.
    ///
    /// - Parameter isFirst: whether the paragraphs follow a heading. If `true`, the request `between`, which
    ///   separates paragraphs, is left out before the first paragraph.
    mutating func paragraphs(_ plain: String, isFirst: Bool = true, between: String = "PP") {
        var isFirst = isFirst
        var isExample = false
        var isBreak = false
        for part in plain.split(separator: "\n", omittingEmptySubsequences: false) {
            guard !part.allSatisfy(\.isWhitespace) else {
                isBreak = true
                continue
            }
            let isIndented = part.hasPrefix("  ")
            if isExample, !isIndented {
                text += ".EE\n.RE\n"
                isExample = false
                isBreak = true
            }
            if isBreak || !isFirst, !isExample { text += ".\(between)\n" }
            (isFirst, isBreak) = (true, false)
            if isIndented, !isExample {
                text += ".RS 4\n.EX\n"
                isExample = true
            }
            if isExample {
                write(Self.escaped(String(part.drop { $0 == " " })))
            } else {
                line(Self.marked(String(part)))
            }
        }
        if isExample { text += ".EE\n.RE\n" }
    }

    static func bold(_ plain: String) -> String { "\\fB\(escaped(plain))\\fR" }
    static func italic(_ plain: String) -> String { "\\fI\(escaped(plain))\\fR" }

    /// Returns the text with its special characters escaped. An escaped hyphen is shown as a plain hyphen,
    /// which a person can paste into a shell. Characters outside of ASCII become numbers.
    static func escaped(_ plain: String) -> String {
        plain.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\e"
            case "-": "\\-"
            case "`": "\\(ga"
            case "'": "\\(aq"
            case "^": "\\(ha"
            case "~": "\\(ti"
            case _ where scalar.isASCII: String(scalar)
            default: "\\[u\(hexadecimal(scalar.value))]"
            }
        }.joined()
    }

    private static func hexadecimal(_ number: UInt32) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// Returns the escaped text, with words in backquotes in bold.
    private static func marked(_ plain: String) -> String {
        plain.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .map { $0.isMultiple(of: 2) ? escaped(String($1)) : bold(String($1)) }
            .joined()
    }
}
