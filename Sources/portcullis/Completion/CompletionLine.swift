internal import ArgumentParser
internal import PortcullisCore

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
        return found.map(ShellWords.unquoted)
    }

    /// Words for the shell that asks.
    ///
    /// What a terminal would obey is in none of them, and no shell runs what is in a name.
    static func answer(_ words: [String]) -> [String] {
        let shell = CompletionShell.requesting?.rawValue
        return words.filter { !$0.isEmpty && $0 == ForeignText.line($0) }.map { word in
            switch shell {
            // `compgen -W` expands its words as if they were typed.
            case "bash": ShellWords.quoted(word)
            // A colon begins a description.
            case "zsh": word.replacing("\\", with: "\\\\").replacing(":", with: "\\:")
            default: word
            }
        }
    }
}
