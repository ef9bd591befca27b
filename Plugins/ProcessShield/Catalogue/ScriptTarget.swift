/// The program that a wrapper script ends in.
enum ScriptTarget {
    /// The path that all of a script's `exec` commands name; `nil` where they name several, or anything but a path.
    ///
    /// Of several one may be a tool that tells the person of an error, and nothing says which: to take the wrong one would
    /// shut that tool for everything that uses it.
    static func path(in text: String) -> String? {
        // Of a longer one the end is not known.
        guard text.utf8.count < ScriptReader.most else { return nil }
        var found: String?
        for line in text.lines.lazy.map(\.trimmed) where line.utf8.first != UInt8(ascii: "#") {
            for command in commands(in: line) where !isRedirection(command) {
                guard let target = ExecLine(ExecLine.asLine(String(command)))?.program, target.hasPrefix("/"),
                    !target.contains("$"), found == nil || found == target
                else { return nil }
                found = target
            }
        }
        return found
    }

    /// The options that a script's lines name, comments apart, wherever they stand: one in a variable, or on a line that
    /// goes on another, may be given to any program.
    static func options(in text: String) -> [String] {
        text.lines.lazy.map(\.trimmed).filter { $0.utf8.first != UInt8(ascii: "#") }.flatMap { line in
            line.utf8.filter { !"\"'\\".utf8.contains($0) }
                .split { " \t;&|(){}`".utf8.contains($0) }
                .compactMap { word in
                    let pairs = zip(word.indices, word.indices.dropFirst())
                    let start = pairs.first { word[$0] == UInt8(ascii: "-") && word[$1] == UInt8(ascii: "-") }
                    return start.map { String(decoding: word[$0.0...], as: UTF8.self) }
                }
        }
    }

    /// What follows each `exec` of a line, that word included.
    private static func commands(in line: Substring) -> [Substring] {
        let word = Array("exec".utf8)
        let bytes = line.utf8
        var commands: [Substring] = []
        var isStart = true
        var place = bytes.startIndex
        while place != bytes.endIndex {
            let rest = bytes[place...]
            if isStart, rest.starts(with: word),
                let next = rest.dropFirst(word.count).first, " \t".utf8.contains(next)
            {
                commands.append(Substring(rest))
            }
            isStart = " \t;&|({`".utf8.contains(bytes[place])
            place = bytes.index(after: place)
        }
        return commands
    }

    /// Whether an `exec` only leads the script's own input and output elsewhere, as `exec 2>/dev/null` does.
    private static func isRedirection(_ command: Substring) -> Bool {
        let word = Substring(command.utf8.dropFirst(4)).trimmed.utf8
        return word.drop { (0x30...0x39).contains($0) }.first.map { "<>&".utf8.contains($0) } ?? false
    }
}
