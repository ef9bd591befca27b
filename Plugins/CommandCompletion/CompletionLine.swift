internal import ArgumentParser
internal import PortcullisCore

/// An unfinished command line, as the shell's words.
package struct CompletionLine: Sendable {
    private let words: [String]

    /// Creates a line from the words that the argument parser hands to a custom completion.
    package init(_ words: [String]) { self.words = words }

    /// The last value given to an option, without the shell's quotes; `nil` if the option has no value.
    package func value(of option: String) -> String? {
        var found: String?
        var rest = words.dropFirst()
        while let word = rest.popFirst(), word != "--" {
            if word.hasPrefix("\(option)=") {
                found = String(word.dropFirst(option.utf8.count + 1))
            } else if word == option {
                found = rest.popFirst()
                // Bash splits `--option=value` into three words. The second word is the equals sign, which is
                // skipped here.
                if found == "=" { found = rest.popFirst() }
            }
        }
        return found.map(ShellWords.unquoted)
    }

    /// Prepares completion words for the shell that has asked for them.
    ///
    /// Empty words, and words with control characters or invisible characters, are left out. The other words
    /// are quoted or escaped where the shell would otherwise interpret them.
    package static func answer(_ words: [String]) -> [String] {
        let shell = CompletionShell.requesting?.rawValue
        return words.filter { !$0.isEmpty && $0 == ForeignText.line($0) }.map { word in
            switch shell {
            // `compgen -W` expands its words as if the person had typed them, so they are quoted.
            case "bash": ShellWords.quoted(word)
            // In zsh a colon begins a description, so colons and backslashes are escaped.
            case "zsh": word.replacing("\\", with: "\\\\").replacing(":", with: "\\:")
            default: word
            }
        }
    }
}
