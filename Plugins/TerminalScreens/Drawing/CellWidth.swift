/// The number of cells that a character occupies, as terminals count: 0, 1 or 2.
package enum CellWidth {
    /// The width of a text in cells.
    package static func of(_ text: String) -> Int { text.reduce(0) { $0 + of($1) } }

    package static func of(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if first.isASCII { return first.value >= 0x20 && first.value != 0x7F ? 1 : 0 }
        // An emoji presentation selector makes the character wide.
        if character.unicodeScalars.contains(where: { $0.value == 0xFE0F }) { return 2 }
        return of(first)
    }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .control, .format, .nonspacingMark, .enclosingMark, .lineSeparator, .paragraphSeparator: return 0
        default: break
        }
        if scalar.properties.isEmojiPresentation { return 2 }
        // These are the East Asian wide and full-width blocks, and the blocks that hold most emoji. A few
        // symbols in the emoji blocks are narrow on many terminals.
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
            0xA000...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }

    /// Returns the text, shortened with an ellipsis if it is wider than `width`.
    package static func cut(_ text: String, to width: Int, ellipsis: Character) -> String {
        guard of(text) > width else { return text }
        guard width > 0 else { return "" }
        var result = ""
        var used = 0
        for character in text {
            let next = of(character)
            guard used + next <= width - 1 else { break }
            result.append(character)
            used += next
        }
        result.append(ellipsis)
        return result
    }

    /// Splits a text into lines of a maximum width, between words.
    ///
    /// Each character is measured at most twice. So even a long text from a server, such as a single word
    /// that fills a thousand lines, takes little time.
    ///
    /// - Parameters:
    ///   - text: the text. Its line ends are kept.
    ///   - width: the maximum width in cells, at least 1.
    ///   - splitsWords: whether a word that is wider than `width` is split. Otherwise the word becomes a line
    ///     of its own, which is wider than `width`.
    ///   - measure: returns the number of cells that a character occupies.
    package static func wrap(
        _ text: String,
        to width: Int,
        splitsWords: Bool = true,
        measure: (Character) -> Int = { of($0) }
    ) -> [String] {
        let width = max(1, width)
        var lines: [String] = []
        for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var line = ""
            var used = 0
            for word in paragraph.split(separator: " ") {
                let length = word.reduce(0) { $0 + measure($1) }
                if !line.isEmpty, used + 1 + length <= width {
                    line += " " + word
                    used += 1 + length
                    continue
                }
                if !line.isEmpty { lines.append(line) }
                guard splitsWords, length > width else {
                    (line, used) = (String(word), length)
                    continue
                }
                (line, used) = ("", 0)
                for character in word {
                    let next = measure(character)
                    if !line.isEmpty, used + next > width {
                        lines.append(line)
                        (line, used) = ("", 0)
                    }
                    line.append(character)
                    used += next
                }
            }
            lines.append(line)
        }
        return lines
    }
}
