internal import ArgumentParser
internal import CommandCompletion

extension Portcullis {
    /// The command that the arguments ask for, with its options read.
    ///
    /// The group that the first word names is parsed alone where that succeeds. The parser then builds the
    /// commands of one group, and does not look for its own options for completions. Help and errors come from
    /// the whole tree, which knows the full names.
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
