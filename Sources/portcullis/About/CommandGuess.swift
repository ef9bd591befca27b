internal import ArgumentParser
internal import PortcullisCore

/// Which command a mistyped word may have meant.
enum CommandGuess {
    /// No command has a longer name by far, and each word is compared with all of them.
    private static let longest = 24

    /// The commands that are near a word, in quotes and with "or" between them.
    ///
    /// - Parameter command: what came before the word.
    /// - Returns: `nil` where none is near.
    static func of(_ word: String, behind command: any ParsableCommand.Type) -> String? {
        guard word.utf8.count <= longest else { return nil }
        let found = near(word, among: command.configuration.subcommands)
        // One that stands below another command, such as `portcullis get`.
        let names = found.isEmpty && command is Portcullis.Type ? below(word) : found
        return names.isEmpty ? nil : names.map { "'\($0)'" }.joined(separator: " or ")
    }

    /// The names at the least distance, if that is a slip of the fingers and not another word.
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

    private static func below(_ word: String) -> [String] {
        Portcullis.configuration.subcommands.flatMap { group in
            group.configuration.subcommands
                .filter { $0.answers(to: word) }
                .map { "\(group._commandName) \($0._commandName)" }
        }
    }
}
