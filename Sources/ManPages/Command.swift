/// A command as it describes itself; the names are those of the argument parser's JSON.
struct Command: Decodable {
    var superCommands: [String]?
    var commandName: String
    var shouldDisplay: Bool?
    var aliases: [String]?
    var abstract: String?
    var discussion: String?
    var subcommands: [Command]?
    var arguments: [CommandArgument]?

    /// The commands below it that a person is shown; the argument parser's own `help` is an option by another name.
    var shown: [Command] {
        (subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
    }

    /// It, and every command below.
    var all: [Command] { [self] + shown.flatMap(\.all) }

    /// The words that it is called with.
    var words: [String] { (superCommands ?? []) + [commandName] }

    /// The name of its page.
    var page: String { words.joined(separator: "-") }

    func takes(_ option: String) -> Bool {
        (arguments ?? []).contains { $0.names?.contains { $0.name == option } == true }
    }

    /// Whether it, or a command below, opens the store.
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
