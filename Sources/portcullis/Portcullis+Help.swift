internal import ArgumentParser

extension Portcullis {
    /// What is wrong with the words that name a command, also behind `help`: there is no such one.
    ///
    /// Behind `help` the argument parser shows the help of as much as it knows, and leaves with 0.
    static func unknownCommand(in arguments: [String]) -> ToolFailure? {
        let isHelp = arguments.first == "help"
        var command: any ParsableCommand.Type = Portcullis.self
        var known = "portcullis"
        for word in arguments.dropFirst(isHelp ? 1 : 0) {
            if word.hasPrefix("-") {
                guard isHelp else { return nil }
                continue
            }
            // The argument parser has this command besides.
            if word == "help", command is Portcullis.Type { return nil }
            let commands = command.configuration.subcommands
            // What follows are arguments.
            if commands.isEmpty, !isHelp { return nil }
            guard let next = commands.first(where: { $0.answers(to: word) }) else {
                let meant = CommandGuess.of(word, behind: command).map { "; did you mean \($0)?" } ?? ":"
                return ToolFailure(
                    "there is no command '\(known) \(word)'\(meant) `\(known) --help` lists what there is",
                    .usage
                )
            }
            command = next
            known += " \(next._commandName)"
        }
        return nil
    }
}

extension ParsableCommand {
    /// Whether a word is the command's name, or a second one.
    static func answers(to word: String) -> Bool {
        _commandName == word || configuration.aliases.contains(word)
    }
}
