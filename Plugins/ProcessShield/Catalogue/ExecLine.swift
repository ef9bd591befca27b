/// The command of a desktop entry's `Exec` line.
struct ExecLine: Hashable {
    /// The program as it is written: a name to look up, or a path.
    var program = ""
    /// The arguments up to the first one that depends on what is opened.
    var arguments: [String] = []

    /// The folder that it is started in, where the line says that.
    var folder: String?

    /// Whether a shell is told to go on as the program.
    var replacesShell = false

    /// Whether the program is a wrapper, because what it starts cannot be told.
    var isUntold = false

    /// How long a line may be, in bytes and in words: each app's is kept.
    private static let most = (bytes: 8_192, words: 1_000)

    /// Splits a line, resolves its quoting, and takes away field codes and what stands before the real command.
    ///
    /// A wrapper with options that are not known is the command itself: it names no app.
    ///
    /// - Returns: `nil` when there is no command, a quote is left open, or it is longer than any that is meant.
    init?(_ line: String) {
        guard line.utf8.count <= Self.most.bytes, let words = Self.words(of: line),
            words.count <= Self.most.words
        else { return nil }
        self.init(words[...])
    }

    /// The same of words whose quoting was resolved.
    init?(words: some Sequence<String>) { self.init(words.map { Word(text: $0) }[...]) }

    private init?(_ words: ArraySlice<Word>) {
        var rest = words
        // Each turn takes a word away; a value that is split into more is split so often and no more.
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
                isUntold = true
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
        path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? path
    }

    private static func isAssignment(_ word: String) -> Bool {
        guard let name = word.parted(at: "=")?.before, let first = name.first, !first.isNumber else {
            return false
        }
        return name.allSatisfy { $0 == "_" || $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    /// A text of which a percent sign is nothing special.
    static func asLine(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { line, character in
            line.unicodeScalars.append(character)
            if character == "%" { line.unicodeScalars.append(character) }
        }
    }

    /// The words of a line; `nil` where a quote is left open.
    ///
    /// The Desktop Entry Specification 1.5 ("The Exec key") knows double quotes alone. Entries have single ones all the same,
    /// and what starts them takes those as a shell does, as GLib's `g_shell_parse_argv`: up to the next one nothing is special
    /// but a field code, which is replaced before.
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
                // Outside of quotes it is not allowed, and written all the same.
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
