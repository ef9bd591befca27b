/// The description of a command, as the argument parser writes it. The members' names are those of the
/// parser's JSON.
struct Command: Decodable {
    var superCommands: [String]?
    var commandName: String
    var shouldDisplay: Bool?
    var aliases: [String]?
    var abstract: String?
    var discussion: String?
    var subcommands: [Command]?
    var arguments: [CommandArgument]?

    /// The visible subcommands. The parser's own `help` is left out, because it does the same as `--help`.
    var shown: [Command] {
        (subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
    }

    /// The command and all visible commands below it.
    var all: [Command] { [self] + shown.flatMap(\.all) }

    /// The words that a person types to call the command.
    var words: [String] { (superCommands ?? []) + [commandName] }

    /// The name of the command's manual page.
    var page: String { words.joined(separator: "-") }

    func takes(_ option: String) -> Bool {
        (arguments ?? []).contains { $0.names?.contains { $0.name == option } == true }
    }

    /// Whether the command, or a command below it, opens the store.
    var opensStore: Bool { all.contains { $0.takes("store") } }
}

/// An argument, option or flag.
struct CommandArgument: Decodable {
    enum Kind: String, Decodable {
        case positional, option, flag
    }

    struct Name: Decodable {
        var kind: String
        var name: String

        var spelling: String { kind == "long" ? "--\(name)" : "-\(name)" }
    }

    var kind: Kind
    var shouldDisplay: Bool
    var isOptional: Bool
    var isRepeating: Bool
    var names: [Name]?
    var preferredName: Name?
    var valueName: String?
    var defaultValue: String?
    var allValues: [String]?
    var abstract: String?
    var discussion: String?
}
