internal import ArgumentParser
internal import CommandCompletion

extension Portcullis {
    /// The command that the arguments name, with its options read.
    ///
    /// If the first word names a group of commands, that group is parsed alone first. The parser then builds the
    /// commands of one group only, and does not look for its own options for completions. If that fails, and for help,
    /// the whole tree is parsed, because its messages need the full names.
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
