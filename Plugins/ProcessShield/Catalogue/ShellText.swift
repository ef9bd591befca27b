/// The program text that a shell is given with `-c`.
enum ShellText {
    /// Why a text says nothing about an app, as `bash -l` and `"$@"` do; `nil` for one of whose commands one may be an app.
    static func refusal(of text: String, depth: Int = 0) -> String? {
        let unnamed = "its command's text names no program"
        guard depth < 4 else { return unnamed }
        var reason: String?
        for command in commands(of: text) {
            guard let next = refusal(ofCommand: command, depth) else { return nil }
            // What it ends in is what stays.
            if next != unnamed || reason == nil { reason = next }
        }
        return reason ?? unnamed
    }

    private static func refusal(ofCommand text: String, _ depth: Int) -> String? {
        guard let command = ExecLine(ExecLine.asLine(text)) else {
            return "its command's text names no program"
        }
        let program = command.program
        let isRedirection =
            program.utf8.drop { (0x30...0x39).contains($0) }.first.map { "<>".utf8.contains($0) } == true
        if isRedirection || preparations.contains(program) || program.hasPrefix("$") && !program.contains("/")
        {
            return "its command's text names no program"
        }
        guard let reason = ProtectedPrograms.reason(for: program) else { return nil }
        guard ProtectedPrograms.runsOthers(program) else { return reason }
        let arguments = command.arguments
        switch LaunchGrammar.subject(program: program, called: program, arguments) {
        case nil: return reason
        case .text(let index): return refusal(of: arguments[index], depth: depth + 1)
        case .file, .words: return nil
        }
    }

    /// Shells' own commands that only prepare what follows.
    private static let preparations: Set<String> = [
        ":", "cd", "export", "unset", "set", "umask", "ulimit", "trap", "shopt", "pushd", "popd", "test", "[",
        "clear",
    ]

    /// The commands of a text, without comments.
    private static func commands(of text: String) -> [String] {
        var commands = [""]
        var quote: Unicode.Scalar?
        var isEscaped = false
        var isComment = false
        var last: Unicode.Scalar = " "
        for character in text.unicodeScalars {
            defer { last = character }
            if isComment {
                guard character == "\n" else { continue }
                isComment = false
            }
            if isEscaped {
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if ";&|\n".unicodeScalars.contains(character), last != ">", last != "<" {
                commands.append("")
                continue
            } else if character == "#", " \t\n;&|".unicodeScalars.contains(last) {
                isComment = true
                continue
            }
            commands[commands.count - 1].unicodeScalars.append(character)
        }
        return commands.filter { !$0.utf8.allSatisfy { " \t\n".utf8.contains($0) } }
    }
}
