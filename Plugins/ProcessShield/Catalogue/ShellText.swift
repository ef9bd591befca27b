/// The program text that a shell gets with `-c`.
enum ShellText {
    /// Returns why a text identifies no app. Examples of such texts are `bash -l` and `"$@"`. The result is
    /// `nil` when one of the text's commands may be an app.
    static func refusal(of text: String, depth: Int = 0) -> String? {
        let unnamed = "its command's text names no program"
        guard depth < 4 else { return unnamed }
        var reason: String?
        for command in commands(of: text) {
            guard let next = refusal(ofCommand: command, depth) else { return nil }
            // The last command's reason is returned, since the shell may replace itself with the last
            // command. There is one exception: the reason `unnamed` does not replace another reason of an
            // earlier command.
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

    /// Commands of shells that only prepare the commands after them.
    static let preparations: Set<String> = [
        ":", "cd", "export", "unset", "set", "umask", "ulimit", "trap", "shopt", "pushd", "popd", "test", "[",
        "clear",
    ]

    /// Returns the commands of a text, without comments.
    static func commands(of text: String) -> [String] { parts(of: text, between: ";&|\n").parts }

    /// Returns the lines of a script as a shell reads them, without comments and the texts of here-documents.
    /// A quote or a backslash joins lines. The result is `nil` if the end of a quote or of a here-document is
    /// missing.
    static func lines(of script: String) -> [String]? {
        guard let text = withoutDocuments(script) else { return nil }
        let (lines, isWhole) = parts(of: text, between: "\n")
        return isWhole ? lines.map { String(Substring($0).trimmed) } : nil
    }

    /// Splits a text at each unquoted character of `ends`, and drops comments and blank parts. `isWhole` is
    /// `true` if every quote is closed.
    private static func parts(of text: String, between ends: String) -> (parts: [String], isWhole: Bool) {
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
                if character == "\n" {
                    commands[commands.count - 1].unicodeScalars.removeLast()
                    continue
                }
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if ends.unicodeScalars.contains(character), last != ">", last != "<" {
                commands.append("")
                continue
            } else if character == "#", " \t\n;&|".unicodeScalars.contains(last) {
                isComment = true
                continue
            }
            commands[commands.count - 1].unicodeScalars.append(character)
        }
        return (commands.filter { !$0.utf8.allSatisfy { " \t\n".utf8.contains($0) } }, quote == nil)
    }

    /// Returns a line with `$_` in place of each command substitution, and the texts of the substituted
    /// commands.
    ///
    /// An arithmetic expansion, `$((…))`, is also replaced by `$_`, but its text is no command and is not
    /// returned. If a substitution continues in the next line, only its part in this line is returned.
    static func substitutions(in line: String) -> (outer: String, inner: [String]) {
        var outer = ""
        var inner: [String] = []
        var rest = line[...]
        var isQuoted = false
        var isDoublyQuoted = false
        while let character = rest.first {
            let isArithmetic = rest.hasPrefix("$((")
            if character == "\\", !isQuoted {
                outer += rest.prefix(2)
                rest = rest.dropFirst(2)
            } else if !isQuoted, character == "`" || rest.hasPrefix("$(") {
                rest = rest.dropFirst(character == "`" ? 1 : 2)
                let text = character == "`" ? rest.prefix { $0 != "`" } : rest.prefix(balanced(rest))
                rest = rest.dropFirst(text.count + 1)
                if !isArithmetic { inner.append(String(text)) }
                outer += "$_"
            } else {
                // Inside one kind of quotes the other kind is an ordinary character.
                if character == "'", !isDoublyQuoted { isQuoted.toggle() }
                if character == "\"", !isQuoted { isDoublyQuoted.toggle() }
                outer.append(character)
                rest = rest.dropFirst()
            }
        }
        return (outer, inner)
    }

    /// Returns the number of characters before the bracket that closes the substitution.
    private static func balanced(_ text: Substring) -> Int {
        var depth = 1
        var count = 0
        for character in text {
            depth += character == "(" ? 1 : character == ")" ? -1 : 0
            if depth == 0 { break }
            count += 1
        }
        return count
    }

    /// Returns a script without the texts of its here-documents; `nil` if a here-document has no end.
    private static func withoutDocuments(_ script: String) -> String? {
        var open: [(end: [UInt8], isIndented: Bool)] = []
        var kept: [Substring] = []
        for line in script.lines {
            if let document = open.first {
                let text = line.utf8.drop { document.isIndented && $0 == UInt8(ascii: "\t") }
                if text.elementsEqual(document.end) { open.removeFirst() }
            } else {
                kept.append(line)
                open = documents(openedIn: line)
            }
        }
        return open.isEmpty ? kept.joined(separator: "\n") : nil
    }

    /// Returns the here-documents whose texts follow a line: `<<END`, `<<-'END'`.
    private static func documents(openedIn line: Substring) -> [(end: [UInt8], isIndented: Bool)] {
        guard line.trimmed.utf8.first != UInt8(ascii: "#") else { return [] }
        var documents: [(end: [UInt8], isIndented: Bool)] = []
        var rest = line.utf8
        while let place = rest.firstIndex(of: UInt8(ascii: "<")) {
            let marks = rest[place...].prefix { $0 == UInt8(ascii: "<") }
            rest = rest[marks.endIndex...]
            // Three signs (`<<<`) begin a here-string, whose text is a word of the same line.
            guard marks.count == 2 else { continue }
            let isIndented = rest.first == UInt8(ascii: "-")
            let word = rest.dropFirst(isIndented ? 1 : 0).drop { " \t".utf8.contains($0) }
                .prefix { !" \t;|&<>()".utf8.contains($0) }
            rest = rest[word.endIndex...]
            let end = word.filter { !"\"'\\".utf8.contains($0) }
            if !end.isEmpty { documents.append((Array(end), isIndented)) }
        }
        return documents
    }
}
