/// Words as shells write them.
package enum ShellWords: Sendable {
    /// A word without quotes and backslashes, as a shell would pass it on, variables and patterns apart.
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

    /// A word that a shell takes for one and passes on as it is: in quotes, where it needs them.
    package static func quoted(_ word: String) -> String {
        word.contains { !isPlain($0) } ? "'\(word.replacing("'", with: "'\\''"))'" : word
    }

    private static func isPlain(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "-_./:@%+,=".contains(character)
    }
}
