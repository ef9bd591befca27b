package import ArgumentParser

/// A script that makes a shell complete the commands, options and values of a tool.
///
/// The argument parser's own scripts complete nothing after an alias, such as `rm`. The parser's script for
/// bash also completes nothing after an `@`, `:` or `=` within a word. The scripts of this type complete
/// words in these places too.
package enum CompletionScript {
    /// The subcommands of one command. `path` holds the names of the commands from the root to this command.
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

    /// Returns the completion script for a shell.
    ///
    /// - Parameter root: the command of the tool itself.
    package static func text(of root: any ParsableCommand.Type, for shell: CompletionShell) -> String {
        let script = withAliases(of: root, in: root.completionScript(for: shell), for: shell)
        return shell == .bash ? script + "\n" + BashWords.script(for: root._commandName) : script
    }

    private static func withAliases(
        of root: any ParsableCommand.Type,
        in script: String,
        for shell: CompletionShell
    ) -> String {
        var script = script
        var functions = "\n"
        var cases = "    set -a commands $unparsed_tokens[1]\n    switch \"$commands\"\n"
        for family in families(below: root, [root._commandName]) {
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
        if shell == .fish {
            script.replace("    set -a commands $unparsed_tokens[1]\n", with: cases + "    end\n")
        } else {
            script.replace("\n", with: functions, maxReplacements: 1)
        }
        return script
    }
}
