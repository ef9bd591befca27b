internal import PortcullisCore

/// Reads one number as programs print it, such as `7450`, `0.5` or `1e3`.
enum ProgressNumber {
    /// Reads a text that is one number, with optional white space around it.
    ///
    /// - Parameter isQuoted: whether an error's message quotes the beginning of the text.
    /// - Returns: a finite number of zero or more.
    /// - Throws: ``ProgressTrouble/Reason/notANumber``, with the fault in its message.
    static func read(
        _ bytes: some Collection<UInt8>,
        quoting isQuoted: Bool = true
    ) throws(ProgressTrouble) -> Double {
        let text = trimmed(String(decoding: bytes, as: UTF8.self))
        guard !text.isEmpty else { throw trouble("there is no number in it") }
        let subject = isQuoted ? "'\(excerpt(text))'" : "its text"
        if isGrouped(text) {
            throw trouble(
                "\(subject) has thousands separators: write the digits alone, with a point for decimals"
            )
        }
        // Swift also accepts numbers such as "nan" and "0x1p3", which are refused here.
        let isPlain = text.utf8.allSatisfy { "0123456789.+-eE".utf8.contains($0) }
        guard isPlain, let number = Double(text) else {
            throw trouble("\(subject) is not a number")
        }
        guard number.isFinite else { throw trouble("\(subject) is too large") }
        guard number >= 0 else { throw trouble("\(subject) is negative") }
        return number
    }

    private static func trouble(_ message: String) -> ProgressTrouble {
        ProgressTrouble(reason: .notANumber, message: message)
    }

    /// Whether the text consists of groups of digits with a separator other than a point, such as `1,234`.
    private static func isGrouped(_ text: String) -> Bool {
        guard text.count < 40, let separator = text.first(where: { !$0.isASCII || !$0.isNumber }),
            ",'_ \u{A0}\u{202F}\u{2019}".contains(separator)
        else { return false }
        let groups = text.split(separator: separator, omittingEmptySubsequences: false)
        return groups.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") } }
    }

    private static func trimmed(_ text: String) -> String {
        var rest = Substring(text)
        while let first = rest.unicodeScalars.first, first.properties.isWhitespace {
            rest.unicodeScalars.removeFirst()
        }
        while let last = rest.unicodeScalars.last, last.properties.isWhitespace {
            rest.unicodeScalars.removeLast()
        }
        return String(rest)
    }

    /// The beginning of a text from another program, for a message.
    private static func excerpt(_ text: String) -> String {
        let start = ForeignText.line(String(text.prefix(40)))
        return text.count > 40 ? "\(start)…" : start
    }
}
