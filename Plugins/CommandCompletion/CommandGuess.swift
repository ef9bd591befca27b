package import ArgumentParser
internal import PortcullisCore

/// Suggests commands that a mistyped word may mean.
package enum CommandGuess {
    /// The length in bytes of the longest word that is compared. All command names are far shorter, so the
    /// comparison of a longer word would only take time.
    private static let longest = 24

    /// Returns the commands that are similar to a word, each in quotes, joined by "or".
    ///
    /// - Parameters:
    ///   - word: the mistyped word.
    ///   - command: the command before the word.
    ///   - root: the command of the tool itself. If `command` is `root`, and no subcommand of `root` is
    ///     similar, the result has the nested subcommands whose name or alias is `word`.
    /// - Returns: `nil` if no command is similar, or if the word is too long.
    package static func of(
        _ word: String,
        behind command: any ParsableCommand.Type,
        in root: any ParsableCommand.Type
    ) -> String? {
        guard word.utf8.count <= longest else { return nil }
        let found = near(word, among: command.configuration.subcommands)
        // The word may be the name of a nested subcommand whose parent was left out, as in `portcullis get`.
        // This is tried if no command is similar.
        let names = found.isEmpty && command == root ? below(word, in: root) : found
        return names.isEmpty ? nil : names.map { "'\($0)'" }.joined(separator: " or ")
    }

    /// The names of the commands whose name or alias has the least edit distance to a word. The result is
    /// empty if that distance is too large for a typing mistake.
    private static func near(_ word: String, among commands: [any ParsableCommand.Type]) -> [String] {
        let typed = Array(word.lowercased().utf8)
        let distances = commands.map { command in
            ([command._commandName] + command.configuration.aliases)
                .map { Spelling.distance(typed, Array($0.utf8)) }
                .min() ?? .max
        }
        guard let least = distances.min(), least <= min(2, (typed.count + 1) / 3) else { return [] }
        return zip(commands, distances).filter { $1 == least }.map { command, _ in command._commandName }
    }

    private static func below(_ word: String, in root: any ParsableCommand.Type) -> [String] {
        root.configuration.subcommands.flatMap { group in
            group.configuration.subcommands
                .filter { $0.answers(to: word) }
                .map { "\(group._commandName) \($0._commandName)" }
        }
    }
}

extension ParsableCommand {
    /// Whether a word is the command's name or an alias.
    package static func answers(to word: String) -> Bool {
        _commandName == word || configuration.aliases.contains(word)
    }
}
