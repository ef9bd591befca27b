internal import ArgumentParser

/// Adds the commands' aliases, such as `rm`, to the argument parser's scripts, which complete nothing after an alias.
enum SecondNames {
    /// The subcommands of one command; `path` is its name, from the root on.
    private struct Family {
        var path: [String]
        var members: [(name: String, aliases: [String])]

        var names: String { members.map(\.name).joined(separator: "|") }
        var allNames: String { members.flatMap { [$0.name] + $0.aliases }.joined(separator: "|") }
    }

    private static func families(below root: any ParsableCommand.Type, _ path: [String]) -> [Family] {
        let commands = root.configuration.subcommands
        let members = commands.map { (name: $0._commandName, aliases: $0.configuration.aliases) }
        return [Family(path: path, members: members)]
            + commands.flatMap { families(below: $0, path + [$0._commandName]) }
    }

    /// The argument parser's script for a shell, with the aliases in it.
    static func added(to script: String, for shell: CompletionsCommand.Shell) -> String {
        var script = script
        var functions = "\n"
        var cases = "    set -a commands $unparsed_tokens[1]\n    switch \"$commands\"\n"
        for family in families(below: Portcullis.self, ["portcullis"]) {
            let function = "_" + family.path.joined(separator: "_")
            for call in [")\n        # Offer subcommand argument completions\n        ", ")\n            "] {
                let start = "\(call)\"\(function)_"
                script.replace("\(family.names)\(start)", with: "\(family.allNames)\(start)")
            }
            for (name, aliases) in family.members {
                for alias in aliases {
                    functions += "\(function)_\(alias)() { \(function)_\(name) \"${@}\"; }\n"
                    script.replace("case '\(name)'\n", with: "case '\(name)' '\(alias)'\n")
                    let path = family.path.joined(separator: " ")
                    cases += "    case '\(path) \(alias)'\n        set commands \(path) \(name)\n"
                }
            }
        }
        switch shell {
        case .bash, .zsh: script.replace("\n", with: functions, maxReplacements: 1)
        case .fish: script.replace("    set -a commands $unparsed_tokens[1]\n", with: cases + "    end\n")
        }
        return script
    }
}
