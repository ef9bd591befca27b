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

    /// How long a line may be, in bytes and in words: each app's is kept.
    private static let most = (bytes: 8_192, words: 1_000)

    /// Splits a line, resolves its quoting, and takes away field codes and what stands before the real command.
    ///
    /// - Returns: `nil` when there is no command, a quote is left open, or it is longer than any that is meant.
    init?(_ line: String) {
        guard line.utf8.count <= Self.most.bytes, let words = Self.words(of: line),
            words.count <= Self.most.words
        else { return nil }
        var rest = words[...]
        // Each turn takes a word away; a value that is split into more is split so often and no more.
        var splits = 0
        while let word = rest.first, splits < 8 {
            if Self.isAssignment(word.text) {
                rest.removeFirst()
                continue
            }
            let name = Self.baseName(word.text)
            guard let wrapper = Self.wrappers[name] ?? Self.builtins[name] else { break }
            rest.removeFirst()
            if name == "exec" { replacesShell = true }
            guard takeOptions(of: wrapper, from: &rest, &splits) else { return nil }
            rest = rest.dropFirst(wrapper.operands)
        }
        guard let program = rest.popFirst(), !program.text.isEmpty, !program.hasFieldCode else { return nil }
        self.program = program.text
        self.arguments = rest.prefix { !$0.hasFieldCode }.map(\.text)
    }

    private struct Word {
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

    /// Takes a wrapper's options away.
    ///
    /// - Returns: whether a value that is split could be.
    private mutating func takeOptions(
        of wrapper: Wrapper,
        from words: inout ArraySlice<Word>,
        _ splits: inout Int
    ) -> Bool {
        while let option = words.first?.text, option.hasPrefix("-") {
            words.removeFirst()
            if option == "--" { return true }
            if let value = Self.value(of: wrapper.split, option, &words) {
                splits += 1
                guard let inner = Self.words(of: Self.asLine(value)) else { return false }
                words = (inner + words)[...]
            } else if let value = Self.value(of: wrapper.folder, option, &words) {
                folder = value
            } else if wrapper.valued.contains(option) {
                words = words.dropFirst()
            }
        }
        return true
    }

    /// A text of which a percent sign is nothing special, and in which single quotes quote as well.
    static func asLine(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { line, character in
            switch character {
            case "%": line += "%%"
            case "'": line += "\""
            default: line.unicodeScalars.append(character)
            }
        }
    }

    /// The value of one of some options: behind an equals sign, behind the option's letter, or the next word.
    private static func value(
        of names: Set<String>,
        _ option: String,
        _ words: inout ArraySlice<Word>
    ) -> String? {
        if names.contains(option) { return words.popFirst()?.text ?? "" }
        if let (name, value) = option.parted(at: "="), names.contains(name) { return value }
        let letter = String(option.prefix(2))
        return option.hasPrefix("--") || !names.contains(letter) ? nil : String(option.dropFirst(2))
    }

    private static func words(of line: String) -> [Word]? {
        var words: [Word] = []
        var word: Word?
        var isQuoting = false
        var characters = line.unicodeScalars.makeIterator()
        while let character = characters.next() {
            switch character {
            case "\"":
                isQuoting.toggle()
                if word == nil { word = Word() }
            case "\\":
                // Outside of quotes it is not allowed, and written all the same.
                guard let next = characters.next() else { return nil }
                word = word ?? Word()
                word?.text.unicodeScalars.append(next)
            case " " where !isQuoting, "\t" where !isQuoting, "\n" where !isQuoting:
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
