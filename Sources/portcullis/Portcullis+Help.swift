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
            // The argument parser itself handles `help`.
            if word == "help", command is Portcullis.Type { return nil }
            let commands = command.configuration.subcommands
            // Without `help`, the words after a command without subcommands are arguments of that command.
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
