internal import ArgumentParser
internal import CommandCompletion

extension Portcullis {
    /// Returns the command that the arguments name, with its options parsed.
    ///
    /// If the first word names a subcommand, only this subcommand is parsed at first. This is faster: the
    /// parser builds no other commands, and does not look for its own completion options. If the parsing
    /// fails, or help is requested, the whole tree is parsed, because messages need full command names.
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
