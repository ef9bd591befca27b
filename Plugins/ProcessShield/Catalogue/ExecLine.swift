/// The command of a desktop entry's `Exec` line.
struct ExecLine: Hashable {
    /// The program as it is written: a name to look up, or a path.
    var program: String
    /// The arguments up to the first one that depends on what is opened.
    var arguments: [String]

    /// Splits a line, resolves its quoting, and takes away field codes and what stands before the real command.
    ///
    /// - Returns: `nil` when there is no command, or a quote is left open.
    init?(_ line: String) {
        guard let words = Self.words(of: line) else { return nil }
        var rest = words[...]
        while let word = rest.first {
            if Self.isAssignment(word.text) {
                rest.removeFirst()
            } else if let valued = Self.wrappers[Self.baseName(word.text)] {
                rest.removeFirst()
                Self.dropOptions(of: &rest, withValue: valued)
            } else {
                break
            }
        }
        guard let program = rest.popFirst(), !program.text.isEmpty, !program.hasFieldCode else { return nil }
        self.program = program.text
        self.arguments = rest.prefix { !$0.hasFieldCode }.map(\.text)
    }

    private struct Word {
        var text = ""
        var hasFieldCode = false
    }

    /// Programs that only start another one, with those of their options that take a value of their own.
    private static let wrappers: [String: Set<String>] = [
        "env": ["-u", "--unset", "-C", "--chdir"], "nice": ["-n", "--adjustment"],
        "ionice": ["-c", "-n", "--class", "--classdata"], "nohup": [], "setsid": [], "gamemoderun": [],
        "mangohud": [], "prime-run": [], "dbus-run-session": ["--config-file"],
    ]

    static func baseName(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    private static func isAssignment(_ word: String) -> Bool {
        guard let equals = word.firstIndex(of: "="), equals != word.startIndex else { return false }
        let name = word[..<equals]
        return !name.first!.isNumber
            && name.allSatisfy { $0 == "_" || $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    private static func dropOptions(of words: inout ArraySlice<Word>, withValue valued: Set<String>) {
        while let option = words.first?.text, option.hasPrefix("-") {
            words.removeFirst()
            if option == "--" { return }
            if valued.contains(option) { words = words.dropFirst() }
        }
    }

    private static func words(of line: String) -> [Word]? {
        var words: [Word] = []
        var word: Word?
        var isQuoting = false
        var characters = line.makeIterator()
        while let character = characters.next() {
            switch character {
            case "\"":
                isQuoting.toggle()
                if word == nil { word = Word() }
            case "\\":
                // Outside of quotes it is not allowed, and written all the same.
                guard let next = characters.next() else { return nil }
                word = word ?? Word()
                word?.text.append(next)
            case " " where !isQuoting, "\t" where !isQuoting, "\n" where !isQuoting:
                finish(&word, &words)
            case "%":
                word = word ?? Word()
                guard let code = characters.next() else { return nil }
                if code == "%" { word?.text.append("%") } else { word?.hasFieldCode = true }
            default:
                word = word ?? Word()
                word?.text.append(character)
            }
        }
        if isQuoting { return nil }
        finish(&word, &words)
        return words
    }

    private static func finish(_ word: inout Word?, _ words: inout [Word]) {
        guard let done = word else { return }
        word = nil
        words.append(done)
    }
}
