/// The program that replaces the shell at the end of a wrapper script.
enum ScriptTarget {
    /// Returns the path of the program that the last line of a script starts with `exec`. The result is `nil`
    /// if the last line has no `exec`, if another `exec` names another program, or if a line starts another
    /// program outside of the system's folders.
    ///
    /// Other programs of the script do not count as the app. A script may start a program only under a
    /// condition, besides other programs, or after the app. Such a program may be a tool that reports an
    /// error or does another task. If the tool counted as the app, the shield would stop every other use of
    /// it.
    ///
    /// - Parameters:
    ///   - text: the script.
    ///   - find: returns the path of a command that is named without a path; `nil` when the command does not
    ///     exist.
    static func path(in text: String, find: (String) -> String?) -> String? {
        command(in: text, find: find)?.program
    }

    /// Returns the program that `path(in:find:)` finds, with its arguments.
    static func command(in text: String, find: (String) -> String?) -> ExecLine? {
        // If the script is longer than the limit, only its beginning was read. So its last line is unknown.
        guard text.utf8.count < ScriptReader.most, let lines = ShellText.lines(of: text),
            let command = lines.last.flatMap(command(endingIn:))
        else { return nil }
        let target = command.program
        guard target.hasPrefix("/"), !target.contains("$") else { return nil }
        let others = lines.lazy.flatMap { commands(in: Substring($0)) }.filter { !isRedirection($0) }
        guard others.allSatisfy({ ExecLine(ExecLine.asLine(String($0)))?.program == target }) else {
            return nil
        }
        let functions = Set(lines.compactMap(functionName))
        var lookup = CommandLookup()
        func path(of name: String) -> String? { lookup.path(of: name, find) }
        return lines.contains { startsOwn($0, but: target, functions, path(of:)) } ? nil : command
    }

    /// Returns the name of the function whose definition begins in a line.
    static func functionName(in line: String) -> String? {
        let words = line.split { " \t".contains($0) }
        let name = words.first == "function" ? words.dropFirst().first : words.first
        guard let name, words.first == "function" || name.contains("()") || words.dropFirst().first == "()"
        else { return nil }
        return String(name.prefix { $0 != "(" })
    }

    /// Whether a line starts a program that is neither the target nor in one of the system's folders. If the
    /// program cannot be determined, the result is `true`.
    ///
    /// If the target is in one of the system's folders, it is a tool that other programs use as well. In that
    /// case the app may be a file that an interpreter runs, or a script outside of `/etc` and `/usr` that the
    /// shell reads with `.` or `source`. So the result is also `true` for a line that runs such a file or
    /// reads such a script.
    static func startsOwn(
        _ line: String,
        but target: String,
        _ functions: Set<String>,
        _ find: (String) -> String?,
        depth: Int = 0
    ) -> Bool {
        guard depth < 4 else { return true }
        let (outer, inner) = ShellText.substitutions(in: line)
        func starts(_ text: String) -> Bool {
            startsOwn(text, but: target, functions, find, depth: depth + 1)
        }
        if inner.contains(where: starts) { return true }
        let endsAsTool = ShellEnd.isOfSystem(target)
        // A closing bracket without an opening one ends a pattern of a `case`.
        let hasLabel = outer.count { $0 == ")" } > outer.count { $0 == "(" }
        return ShellText.commands(of: outer).contains { text in
            let line = ExecLine.asLine(text)
            guard let command = ExecLine(line) else { return ExecLine.isTooLong(line) }
            if command.replacesShell { return false }
            var words = program(in: [command.program] + command.arguments, hasLabel)
            // A wrapper such as `env` may follow a keyword such as `then`. In that case, the program that
            // the wrapper starts is examined instead of the wrapper.
            if let inner = ExecLine(words: words) { words = ([inner.program] + inner.arguments)[...] }
            guard let word = words.first else { return false }
            let program = String(word.drop { "({".contains($0) }.prefix { $0 != ")" })
            if program.hasPrefix("$") { return true }
            if program == "eval" { return starts(words.dropFirst().joined(separator: " ")) }
            if endsAsTool, [".", "source"].contains(program), let file = words.dropFirst().first {
                return !["/etc/", "/usr/"].contains(where: file.hasPrefix)
            }
            if program.isEmpty || functions.contains(program) || ownWords.contains(program) { return false }
            if ExecLine.wrappers[ExecLine.baseName(program)] != nil { return true }
            guard let path = program.contains("/") ? program : find(program) else { return true }
            if path == target { return false }
            return !ShellEnd.isOfSystem(path)
                || endsAsTool && LaunchGrammar.runsFile(path, Array(words.dropFirst()))
        }
    }

    /// Returns the words of a command from its program on. The words before the program are left out:
    /// keywords, redirections, patterns of a `case`, and `function` with the name of the function.
    ///
    /// - Parameter hasLabel: whether a last word that ends in `)` may be a pattern of a `case`.
    static func program(in words: [String], _ hasLabel: Bool) -> ArraySlice<String> {
        var rest = words[...]
        while let word = rest.first {
            let next = rest.dropFirst()
            if word == "function" {
                rest = next.dropFirst()
            } else if isRedirection(Substring("exec " + word)) {
                // The file's name follows the redirection sign in the same word, or is the next word.
                rest = word.last.map("<>&|".contains) == true ? next.dropFirst() : next
            } else if keywords.contains(word) || isLabel(word, isLast: next.isEmpty, hasLabel) {
                rest = next
            } else {
                return rest
            }
        }
        return rest
    }

    private static func isLabel(_ word: String, isLast: Bool, _ hasLabel: Bool) -> Bool {
        guard word.hasSuffix(")"), !word.hasPrefix("(") else { return false }
        return !isLast || hasLabel && !word.contains("/")
    }

    /// Words of the shell's grammar that stand before a command.
    static let keywords: Set<String> = [
        "if", "then", "elif", "else", "while", "until", "do", "!", "{", "(", "time",
    ]

    /// Commands that a shell carries out itself, and words of its grammar that start no program.
    static let ownWords = ShellText.preparations.union([
        "[[", "alias", "break", "builtin", "case", "command", "continue", "declare", "done", "echo", "esac",
        "exit", "false", "fi", "for", "getopts", "hash", "kill", "let", "local", "printf", "pwd", "read",
        "readonly", "return", "select", "shift", "source", ".", "true", "type", "typeset", "unalias", "wait",
        "}",
    ])

    /// Returns the command that replaces the shell at the end of a line. The line is `exec PROGRAM` or
    /// `[ -x PROGRAM ] && exec PROGRAM`.
    private static func command(endingIn line: String) -> ExecLine? {
        let command = ExecLine(ExecLine.asLine(line))
        if let command, command.replacesShell { return command }
        guard let command, ["[", "test"].contains(command.program) else { return nil }
        let parts = line.split(separator: "&&", maxSplits: 1)
        guard parts.count == 2, let next = ExecLine(ExecLine.asLine(String(parts[1]))), next.replacesShell,
            ExecLine(ExecLine.asLine(String(parts[0])))?.arguments.contains(next.program) == true
        else { return nil }
        return next
    }

    /// Returns, for each `exec` in a line, the text from that `exec` to the next one or to the end of the
    /// line. The texts do not overlap. If they did, the time to read them all would grow with the square of
    /// their number.
    static func commands(in line: Substring) -> [Substring] {
        let word = Array("exec".utf8)
        let bytes = line.utf8
        var starts: [String.Index] = []
        var isStart = true
        var place = bytes.startIndex
        while place != bytes.endIndex {
            let rest = bytes[place...]
            if isStart, rest.starts(with: word),
                let next = rest.dropFirst(word.count).first, " \t".utf8.contains(next)
            {
                starts.append(place)
            }
            isStart = " \t;&|({`".utf8.contains(bytes[place])
            place = bytes.index(after: place)
        }
        return zip(starts, starts.dropFirst() + [bytes.endIndex]).map { Substring(bytes[$0..<$1]) }
    }

    /// Whether an `exec` only redirects the script's own input and output, as `exec 2>/dev/null` does.
    private static func isRedirection(_ command: Substring) -> Bool {
        let word = Substring(command.utf8.drop { !" \t".utf8.contains($0) }).trimmed.utf8
        return word.drop { (0x30...0x39).contains($0) }.first.map { "<>&".utf8.contains($0) } ?? false
    }
}
