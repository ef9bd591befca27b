package import ArgumentParser

/// A word of the command line that names neither a command nor an option.
package struct UnknownWordError: Error {
    /// The description of the mistake, for the person who typed the word.
    package let message: String
}

extension ParsableCommand {
    /// Returns the command that the arguments name, with its options parsed. This type is the tool's own
    /// command.
    ///
    /// If the first word names a subcommand, only this subcommand is parsed at first. This is faster: the
    /// parser builds no other commands, and does not look for its own completion options. If the parsing
    /// fails, or help is requested, the whole tree is parsed, because messages need full command names.
    ///
    /// - Throws: ``UnknownWordError``, and the errors of the argument parser.
    package static func command(of arguments: [String]) throws -> any ParsableCommand {
        try demandKnownCommands(in: arguments)
        // The words behind `--` are values, or the words of another program.
        let words = arguments.prefix { $0 != "--" }
        let isHelp = words.contains { $0 == "--help" || $0 == "-h" }
        if !isHelp, let word = arguments.first,
            let group = configuration.subcommands.first(where: { $0.answers(to: word) }),
            let command = try? group.parseAsRoot(Array(arguments.dropFirst())),
            !command.isHelp
        {
            return command
        }
        let command = try parseAsRoot(arguments)
        // The argument parser finds `-h` in any word of one hyphen and letters, such as `-hash`. Such a word
        // is mostly a name. With the exit status 0 of the help, a script would take the work for done.
        if command.isHelp, !isHelp, words.first != "help", let word = words.first(where: \.isCluster) {
            throw UnknownWordError(
                message:
                    "there is no option '\(word)'; `--help` lists what there is, and a name that begins with a "
                    + "hyphen comes after --"
            )
        }
        return command
    }

    /// Whether the command is the argument parser's own, which shows help.
    private var isHelp: Bool { Self.answers(to: "help") }

    /// Refuses an unknown command in the arguments, including the arguments after `help`.
    ///
    /// After `help`, the argument parser would ignore an unknown command. It would show the help of the last
    /// known command, and exit with 0.
    private static func demandKnownCommands(in arguments: [String]) throws(UnknownWordError) {
        let isHelp = arguments.first == "help"
        var command: any ParsableCommand.Type = Self.self
        var known = _commandName
        for word in arguments.dropFirst(isHelp ? 1 : 0) {
            if word.hasPrefix("-") {
                guard isHelp else { return }
                continue
            }
            // `help` is a command of the argument parser itself, so it is not among the subcommands.
            if word == "help", command == Self.self { return }
            let commands = command.configuration.subcommands
            // A command without subcommands takes the remaining words as its arguments. Only after `help`
            // does every word have to be a command.
            if commands.isEmpty, !isHelp { return }
            guard let next = commands.first(where: { $0.answers(to: word) }) else {
                let guess = CommandGuess.of(word, behind: command, in: Self.self)
                let meant = guess.map { "; did you mean \($0)?" } ?? ":"
                throw UnknownWordError(
                    message:
                        "there is no command '\(known) \(word)'\(meant) `\(known) --help` lists what there is"
                )
            }
            command = next
            known += " \(next._commandName)"
        }
    }
}

extension String {
    /// Whether the argument parser reads the word as several options of one letter each, `-h` among them.
    fileprivate var isCluster: Bool {
        hasPrefix("-") && !hasPrefix("--") && contains("h") && self != "-h"
    }
}
