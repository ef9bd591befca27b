internal import ArgumentParser

/// A command line that is not finished, word by word as the shell has it.
struct CompletionLine: Sendable {
    private let words: [String]

    init(_ words: [String]) { self.words = words }

    /// The last value that an option was given, without the shell's quotes.
    func value(of option: String) -> String? {
        var found: String?
        var rest = words.dropFirst()
        while let word = rest.popFirst(), word != "--" {
            if word.hasPrefix("\(option)=") {
                found = String(word.dropFirst(option.utf8.count + 1))
            } else if word == option {
                found = rest.popFirst()
                // Bash ends words at these, too.
                if found == "=" { found = rest.popFirst() }
            }
        }
        return found.map(Self.unquoted)
    }

    /// What the shell would pass on, variables and patterns apart.
    private static func unquoted(_ word: String) -> String {
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

    /// Words for the shell that asks.
    ///
    /// What a terminal would obey is in none of them, and no shell runs what is in a name.
    static func answer(_ words: [String]) -> [String] {
        let shell = CompletionShell.requesting?.rawValue
        return words.filter { word in
            !word.isEmpty && word.unicodeScalars.allSatisfy { !isControl($0) }
        }.map { word in
            switch shell {
            // `compgen -W` expands its words as if they were typed.
            case "bash": word.contains { !isPlain($0) } ? quoted(word) : word
            // A colon begins a description.
            case "zsh": word.replacing("\\", with: "\\\\").replacing(":", with: "\\:")
            default: word
            }
        }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }

    private static func isPlain(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "-_./:@%+,=".contains(character)
    }

    private static func quoted(_ word: String) -> String {
        "'\(word.replacing("'", with: "'\\''"))'"
    }
}
