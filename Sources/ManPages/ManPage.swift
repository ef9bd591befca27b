/// The manual page of one command.
struct ManPage {
    private var roff = Roff(comment: "Made by ManPages of Portcullis.")
    private let command: Command

    var text: String { roff.text }

    init(_ command: Command, version: String, date: String) {
        self.command = command
        roff.request("TH", command.page.uppercased(), "1", date, version, "Portcullis")
        roff.request("SH", "NAME")
        roff.line("\(Roff.escaped(command.page)) \\- \(Roff.escaped(shortAbstract))")
        synopsis()
        description()
        arguments()
        subcommands()
        CommonSections.exitStatus(of: command, in: &roff)
        CommonSections.files(of: command, in: &roff)
        CommonSections.environment(of: command, in: &roff)
        seeAlso()
    }

    /// The abstract without its full stop, because `apropos` shows the abstract in a list.
    private var shortAbstract: String {
        let abstract = command.abstract ?? ""
        return abstract.hasSuffix(".") ? String(abstract.dropLast()) : abstract
    }

    private var shown: [CommandArgument] { (command.arguments ?? []).filter(\.shouldDisplay) }

    private mutating func synopsis() {
        roff.request("SH", "SYNOPSIS")
        let name = Roff.bold(command.words.joined(separator: " "))
        var parts: [String] = []
        // Required options come first. `--help` and `--version` are left out, because they are used without
        // other options.
        let options = shown.filter {
            $0.kind != .positional && !["help", "version"].contains($0.preferredName?.name)
        }
        for option in options.filter({ !$0.isOptional }) + options.filter(\.isOptional) {
            let spelling = Roff.bold(option.preferredName?.spelling ?? "")
            let value = option.kind == .option ? " \(Roff.italic(option.valueName ?? "value"))" : ""
            let repeats = option.isRepeating ? " ..." : ""
            parts.append(
                option.isOptional ? "[\(spelling)\(value)]\(repeats)" : "\(spelling)\(value)\(repeats)"
            )
        }
        for argument in shown where argument.kind == .positional {
            let value = Roff.italic(argument.valueName ?? "value") + (argument.isRepeating ? " ..." : "")
            parts.append(argument.isOptional || argument.isRepeating ? "[\(value)]" : value)
        }
        if !command.shown.isEmpty { parts = [Roff.italic("command"), "..."] }
        for part in [name] + parts { roff.line(part) }
    }

    private mutating func description() {
        roff.request("SH", "DESCRIPTION")
        roff.paragraphs(command.abstract ?? "")
        if let discussion = command.discussion { roff.paragraphs(discussion, isFirst: false) }
        if let aliases = command.aliases, !aliases.isEmpty {
            roff.paragraphs(
                "Another name: \(aliases.map { "`\($0)`" }.joined(separator: ", ")).",
                isFirst: false
            )
        }
    }

    private mutating func arguments() {
        let positional = shown.filter { $0.kind == .positional }
        if !positional.isEmpty { roff.request("SH", "ARGUMENTS") }
        for argument in positional {
            roff.request("TP")
            roff.line(Roff.italic(argument.valueName ?? "value"))
            meaning(of: argument)
        }
        let options = shown.filter { $0.kind != .positional }
        if !options.isEmpty { roff.request("SH", "OPTIONS") }
        for option in options {
            roff.request("TP")
            let names = (option.names ?? []).map { Roff.bold($0.spelling) }.joined(separator: ", ")
            roff.line(names + (option.kind == .option ? " \(Roff.italic(option.valueName ?? "value"))" : ""))
            meaning(of: option)
        }
    }

    private mutating func meaning(of argument: CommandArgument) {
        var text = argument.abstract ?? ""
        if let values = argument.allValues, !values.isEmpty {
            text += " One of \(values.map { "`\($0)`" }.joined(separator: ", "))."
        }
        if let value = argument.defaultValue, argument.kind != .flag { text += " (default: \(value))" }
        roff.paragraphs(text, between: "IP")
        if let discussion = argument.discussion { roff.paragraphs(discussion, isFirst: false, between: "IP") }
    }

    private mutating func subcommands() {
        guard !command.shown.isEmpty else { return }
        roff.request("SH", "COMMANDS")
        for one in command.shown {
            roff.request("TP")
            roff.line(([one.commandName] + (one.aliases ?? [])).map(Roff.bold).joined(separator: ", "))
            roff.paragraphs(one.abstract ?? "")
        }
    }

    private mutating func seeAlso() {
        var pages = command.shown.map(\.page)
        if command.words.count > 1 { pages.insert(command.words.dropLast().joined(separator: "-"), at: 0) }
        guard !pages.isEmpty else { return }
        roff.request("SH", "SEE ALSO")
        for (place, page) in pages.enumerated() {
            roff.line("\(Roff.bold(page))(1)\(place == pages.count - 1 ? "" : ",")")
        }
    }
}
