/// Quotes and unquotes words of shell commands.
package enum ShellWords: Sendable {
    /// Removes quotes and backslashes from a word as a shell does. Variables and patterns are not expanded.
    /// Between double quotes, a backslash escapes every character here, but only a few characters in a shell.
    package static func unquoted(_ word: String) -> String {
        var text = ""
        var quote: Character?
        var isEscaped = false
        for character in word {
            if isEscaped {
                text.append(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
            } else {
                text.append(character)
            }
        }
        return text
    }

    /// Returns text that a shell reads as this one word. The text has quotes only if the word needs them. The
    /// word must not be empty.
    package static func quoted(_ word: String) -> String {
        word.contains { !isPlain($0) } ? "'\(word.replacing("'", with: "'\\''"))'" : word
    }

    private static func isPlain(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "-_./:@%+,=".contains(character)
    }
}
