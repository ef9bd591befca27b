/// The program that replaces a shell at the end of the text of `-c`. A shell executes the last command in its
/// own process, with or without `exec`. The arguments of the process then contain nothing of the text.
enum ShellEnd {
    /// The shell is replaced by this command in this folder. The commands before it start no other app.
    case command(ExecLine, folder: String?)
    /// The shell keeps running while earlier commands of the text run, and may be replaced by the last
    /// command.
    case several(last: ExecLine, folder: String?)
    /// The text does not show which program replaces the shell.
    case untold

    static let reason = "its command's text does not tell which program the shell goes on as"

    /// Finds the program that replaces the shell.
    /// - Parameters:
    ///   - text: the program text of `-c`.
    ///   - folder: the folder that the shell is started in; `nil` when it is not known.
    ///   - find: returns the path of a command that is named without a path; `nil` when the command does not
    ///     exist.
    init(of text: String, in folder: String?, find: (String) -> String?) {
        self = .untold
        var lookup = CommandLookup()
        func path(of name: String) -> String? { lookup.path(of: name, find) }
        var commands = ShellText.commands(of: text)
        // A text is also split at the `&` of a redirection with `&>`, so the redirection appears as a command
        // of its own. Such a command is dropped.
        while let last = commands.last, Self.isRedirection(last) { commands.removeLast() }
        guard let last = commands.popLast().flatMap({ ExecLine(ExecLine.asLine($0)) }) else { return }
        let earlier = commands.filter { !Self.isRedirection($0) }
        let hasFunctions = (commands + [last.program]).contains { ScriptTarget.functionName(in: $0) != nil }
        let replaces = earlier.contains { !ScriptTarget.commands(in: Substring($0)).isEmpty }
        guard !hasFunctions, !replaces, !Self.endings.contains(last.program),
            !ScriptTarget.keywords.contains(last.program)
        else { return }
        var place = folder
        for command in earlier { place = Self.folder(after: command, in: place) }
        let own = last.program.contains("/") ? last.program : path(of: last.program) ?? last.program
        let isOwnWord = ScriptTarget.ownWords.contains(last.program)
        if earlier.contains(where: { ScriptTarget.startsOwn($0, but: own, [], path(of:)) }) {
            self = .several(last: last, folder: place)
        } else if isOwnWord {
            self = .several(last: last, folder: place)
        } else if last.replacesShell || !Self.isOfSystem(own)
            || earlier.allSatisfy({ Self.prepares($0, for: last.program) })
        {
            self = .command(last.withoutRedirections, folder: place)
        }
    }

    /// Whether a path is in one of the system's own folders for commands.
    static func isOfSystem(_ path: String) -> Bool {
        ["/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/"].contains(where: path.hasPrefix)
    }

    /// Words that end a condition or a group, or that run another text. If the last command begins with one
    /// of them, it is unknown which program replaces the shell.
    private static let endings: Set<String> = ["fi", "esac", "}", "eval"]

    private static func isRedirection(_ command: String) -> Bool {
        let text = Substring(command).trimmed
        let words = text.hasPrefix("exec ") ? text.dropFirst(5) : text
        return words.utf8.drop { (0x30...0x39).contains($0) }.first.map { "<>".utf8.contains($0) } == true
    }

    /// Whether a command starts no program, or only `sleep` or `program`.
    private static func prepares(_ command: String, for program: String) -> Bool {
        guard let words = words(of: command), let first = words.first else { return true }
        return ScriptTarget.ownWords.contains(first) || ExecLine.baseName(first) == "sleep"
            || first == program
    }

    /// Returns the words of a command from its program on; `nil` if the text is no command.
    private static func words(of command: String) -> ArraySlice<String>? {
        ExecLine(ExecLine.asLine(command)).map {
            ScriptTarget.program(in: [$0.program] + $0.arguments, false)
        }
    }

    /// Returns the shell's working folder after a command; `nil` when it is not known.
    private static func folder(after command: String, in folder: String?) -> String? {
        guard let words = words(of: command), let first = words.first else { return folder }
        guard ["cd", "pushd", "popd"].contains(first) else { return folder }
        let next = words.dropFirst().first { !$0.hasPrefix("-") || $0 == "-" }
        guard first != "popd", let next, !next.isEmpty, !next.contains(where: { "$`~*?".contains($0) }),
            next != "-"
        else { return nil }
        return next.hasPrefix("/") ? next : folder.map { "\($0)/\(next)" }
    }
}

extension ExecLine {
    /// The command without redirections. Its arguments end before the first argument that contains a variable
    /// or a substitution.
    fileprivate var withoutRedirections: ExecLine {
        var line = self
        line.arguments = []
        var rest = arguments.prefix { !$0.contains("$") && !$0.contains("`") }
        while let word = rest.popFirst() {
            guard
                word.utf8.drop(while: { (0x30...0x39).contains($0) }).first.map({ "<>".utf8.contains($0) })
                    == true
            else {
                line.arguments.append(word)
                continue
            }
            // The file's name follows the redirection sign in the same word, or is the next word.
            if word.last.map("<>&|".contains) == true { _ = rest.popFirst() }
        }
        return line
    }
}
