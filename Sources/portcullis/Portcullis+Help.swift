internal import ArgumentParser

extension Portcullis {
    /// What is wrong with `help` and the words after it: a command that there is not.
    ///
    /// The argument parser shows the help of as much as it knows, and leaves with 0.
    static func unknownHelpTopic(in arguments: [String]) -> ToolFailure? {
        guard arguments.first == "help" else { return nil }
        var command: any ParsableCommand.Type = Portcullis.self
        var known = "portcullis"
        for word in arguments.dropFirst() where !word.hasPrefix("-") {
            guard let next = command.configuration.subcommands.first(where: { $0._commandName == word })
            else {
                return ToolFailure(
                    "there is no command '\(known) \(word)': `\(known) --help` lists what there is",
                    .usage
                )
            }
            command = next
            known += " \(word)"
        }
        return nil
    }
}
