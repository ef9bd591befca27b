internal import ArgumentParser
internal import CommandCompletion

extension Portcullis {
    /// The failure for an unknown command in the arguments, including the arguments after `help`; `nil` if
    /// all commands are known.
    ///
    /// After `help`, the argument parser would ignore an unknown command. It would show the help of the last
    /// known command, and exit with 0.
    static func unknownCommand(in arguments: [String]) -> ToolFailure? {
        let isHelp = arguments.first == "help"
        var command: any ParsableCommand.Type = Portcullis.self
        var known = "portcullis"
        for word in arguments.dropFirst(isHelp ? 1 : 0) {
            if word.hasPrefix("-") {
                guard isHelp else { return nil }
                continue
            }
            // `help` is a command of the argument parser itself, so it is not among the subcommands.
            if word == "help", command is Portcullis.Type { return nil }
            let commands = command.configuration.subcommands
            // A command without subcommands takes the remaining words as its arguments. Only after `help`
            // does every word have to be a command.
            if commands.isEmpty, !isHelp { return nil }
            guard let next = commands.first(where: { $0.answers(to: word) }) else {
                let guess = CommandGuess.of(word, behind: command, in: Portcullis.self)
                let meant = guess.map { "; did you mean \($0)?" } ?? ":"
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
