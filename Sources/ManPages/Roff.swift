/// Text as `man` sets it.
struct Roff {
    private(set) var text: String

    /// - Parameter comment: what the first line says of the page to programs.
    init(comment: String) { text = ".\\\" \(comment)\n" }

    /// A request, such as `SH`, with arguments of letters, digits, blanks and hyphens.
    mutating func request(_ name: String, _ arguments: String...) {
        text += ".\(name)" + arguments.map { " \"\($0)\"" }.joined() + "\n"
    }

    /// Words that are set already, on as many lines as they take.
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

    /// Readers of a page's source have rows of 80.
    private static let width = 78

    /// One line, which is no request whatever it begins with.
    private mutating func write(_ line: String) {
        text += (line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" : "") + line + "\n"
    }

    /// Paragraphs with blank lines between them: what is indented stays as it is, and what is in backquotes is bold.
    ///
    /// - Parameter isFirst: whether a heading stands before it, which is a blank line enough.
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

    /// As it is: hyphens are those that a shell takes, and what is not ASCII goes by its number.
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

    /// With what is between backquotes in bold.
    private static func marked(_ plain: String) -> String {
        plain.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .map { $0.isMultiple(of: 2) ? escaped(String($1)) : bold(String($1)) }
            .joined()
    }
}
