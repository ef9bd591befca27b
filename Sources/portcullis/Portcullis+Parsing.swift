internal import ArgumentParser
internal import CommandCompletion

extension Portcullis {
    /// Returns the command that the arguments name, with its options parsed.
    ///
    /// If the first word names a group of commands, that group is first parsed alone. This saves work: the parser builds
    /// the commands of one group only, and does not look for its own completion options. If this fails, or if help is
    /// requested, the whole tree is parsed, because messages need the full names of commands.
    static func parse(_ arguments: [String]) throws -> any ParsableCommand {
        let isHelp = arguments.contains { $0 == "--help" || $0 == "-h" }
        if !isHelp, let word = arguments.first,
            let group = subcommands.first(where: { $0.answers(to: word) }),
            let command = try? group.parseAsRoot(Array(arguments.dropFirst()))
        {
            return command
        }
        return try parseAsRoot(arguments)
    }
}
