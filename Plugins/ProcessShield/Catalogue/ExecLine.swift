internal import LinuxSystem

/// The command of a desktop entry's `Exec` line.
struct ExecLine: Hashable {
    /// The program as the line writes it: a command's name or a path.
    var program = ""
    /// The arguments. The list ends before the first argument that contains a field code.
    var arguments: [String] = []

    /// The folder that the program is started in; `nil` if the line names none.
    var folder: String?

    /// Whether `exec` stands before the program, so that the program replaces the shell.
    var replacesShell = false

    /// A line's largest size, in bytes and in words. The size is limited because the line of each app is kept
    /// in memory.
    private static let most = (bytes: 8_192, words: 1_000)

    /// Splits a line into words and resolves its quoting. The variable assignments and the wrappers before
    /// the command are removed. The arguments end before the first argument that contains a field code.
    ///
    /// If a wrapper has an unknown option, the program that the wrapper starts is unknown. In that case the
    /// wrapper itself is the command.
    ///
    /// - Returns: `nil` when the line has no command, leaves a quote open, or exceeds the limits of bytes or
    ///   words.
    init?(_ line: String) {
        guard line.utf8.count <= Self.most.bytes, let words = Self.words(of: line),
            words.count <= Self.most.words
        else { return nil }
        self.init(words[...])
    }

    /// Whether a line exceeds the limits of bytes or words, so that its command is not read.
    static func isTooLong(_ line: String) -> Bool {
        line.utf8.count > most.bytes || words(of: line).map { $0.count > most.words } == true
    }

    /// Reads a command from words whose quoting is already resolved.
    init?(words: some Sequence<String>) { self.init(words.map { Word(text: $0) }[...]) }

    private init?(_ words: ArraySlice<Word>) {
        var rest = words
        // Each turn of the loop removes a word. A turn may also split a value into several words. The number
        // of such splits is limited to eight, so that the loop ends.
        var splits = 0
        while let word = rest.first, splits < 8 {
            if Self.isAssignment(word.text) {
                rest.removeFirst()
                continue
            }
            let name = Self.baseName(word.text)
            guard let wrapper = Self.wrappers[name] ?? Self.builtins[name] else { break }
            let all = rest
            rest.removeFirst()
            if name == "exec" { replacesShell = true }
            let reading = take(wrapper, from: &rest, &splits)
            if reading == .nothing { return nil }
            if reading == .unknown {
                rest = all
                break
            }
        }
        guard let program = rest.popFirst(), !program.text.isEmpty, !program.hasFieldCode else { return nil }
        self.program = program.text
        self.arguments = rest.prefix { !$0.hasFieldCode }.map(\.text)
    }

    struct Word {
        var text = ""
        var hasFieldCode = false
    }

    static func baseName(_ path: String) -> String {
        path.pathParts.last.map { String($0) } ?? path
    }

    private static func isAssignment(_ word: String) -> Bool {
        guard let name = word.parted(at: "=")?.before, let first = name.first, !first.isNumber else {
            return false
        }
        return name.allSatisfy { $0 == "_" || $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    /// Returns the text with its percent signs doubled, so that no percent sign begins a field code.
    static func asLine(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { line, character in
            line.unicodeScalars.append(character)
            if character == "%" { line.unicodeScalars.append(character) }
        }
    }

    /// Splits a line into words; `nil` if a quote is left open, or if the line ends in a single `\` or `%`.
    ///
    /// The Desktop Entry Specification 1.5 ("The Exec key") defines only double quotes. Entries also use
    /// single quotes. GLib, which starts the programs, parses single quotes as a shell does
    /// (`g_shell_parse_argv`): no character before the closing quote is special. Field codes are an
    /// exception, because they are replaced before the quoting is resolved.
    static func words(of line: String) -> [Word]? {
        var words: [Word] = []
        var word: Word?
        var quote: Unicode.Scalar?
        var characters = line.unicodeScalars.makeIterator()
        while let character = characters.next() {
            switch character {
            case "\"" where quote != "'", "'" where quote != "\"":
                quote = quote == nil ? character : nil
                if word == nil { word = Word() }
            case "\\" where quote != "'":
                // The specification allows no backslash outside of quotes, but some desktop entries contain
                // one.
                guard let next = characters.next() else { return nil }
                word = word ?? Word()
                word?.text.unicodeScalars.append(next)
            case " " where quote == nil, "\t" where quote == nil, "\n" where quote == nil:
                finish(&word, &words)
            case "%":
                word = word ?? Word()
                guard let code = characters.next() else { return nil }
                if code == "%" { word?.text.append("%") } else { word?.hasFieldCode = true }
            default:
                word = word ?? Word()
                word?.text.unicodeScalars.append(character)
            }
        }
        if quote != nil { return nil }
        finish(&word, &words)
        return words
    }

    private static func finish(_ word: inout Word?, _ words: inout [Word]) {
        guard let done = word else { return }
        word = nil
        words.append(done)
    }
}
