/// How a program that runs others is told what to run.
struct LaunchGrammar: Sendable {
    /// What it was told to run, by the place among its arguments.
    enum Subject: Hashable, Sendable {
        /// A file.
        case file(Int)
        /// A shell's program text.
        case text(Int)
        /// Something that no file's path tells, such as an app's id: the arguments up to this one name it.
        case words(Int)
    }

    /// Whether `-ab` stands for `-a -b`, as getopt(3) has it.
    var clusters = false
    /// Options whose value is what is run, and no file.
    var named: Set<String> = []
    /// Options whose value is the file that is run.
    var files: Set<String> = []
    /// Options with a value that says nothing of what is run.
    var valued: Set<String> = []
    /// Letters after which the rest of a cluster is theirs.
    var attached = ""
    /// Words that stand before what is run.
    var verbs: Set<String> = []
    /// Whether nothing is run without one of them.
    var needsVerb = false
    /// Words that are the program's own commands where a file could stand.
    var commands: Set<String> = []
    /// Whether what is run is no file.
    var isNamed = false
    /// Whether `-c` makes the first argument that is no option a program text, and `-s` makes it nothing.
    var isShell = false

    /// What a program was told to run; `nil` where nothing is named but options.
    ///
    /// - Parameters:
    ///   - path: the program's file.
    ///   - name: the name by which it was called, which decides for programs of many commands.
    ///   - arguments: without that name.
    static func subject(program path: String, called name: String, _ arguments: [String]) -> Subject? {
        let called = ProtectedPrograms.known(ExecLine.baseName(name))
        // The file of a launcher may have a name that says nothing.
        guard let known = ProtectedPrograms.known(ExecLine.baseName(path)) ?? called else { return nil }
        guard ProtectedPrograms.multiCall.contains(known) else {
            return of(known).subject(in: arguments[...])
        }
        if let called, !ProtectedPrograms.multiCall.contains(called) {
            return of(called).subject(in: arguments[...])
        }
        guard let command = arguments.first.flatMap({ ProtectedPrograms.known($0) }) else { return nil }
        return of(command).subject(in: arguments.dropFirst())
    }

    /// What arguments name.
    func subject(in arguments: ArraySlice<String>) -> Subject? {
        var index = arguments.startIndex
        var hasVerb = false
        var isText = false
        while index < arguments.endIndex {
            let word = arguments[index]
            if verbs.contains(word) {
                hasVerb = true
                index += 1
                continue
            }
            if word == "--" { index += 1 }
            guard word != "--", Self.isOption(word, isShell) else { break }
            switch effect(of: word) {
            case .none: index += 1
            case .value: index += 2
            case .text:
                isText = true
                index += 1
            case .nothing: return nil
            case .here: return .words(index)
            case .next(let isFile):
                guard index + 1 < arguments.endIndex, !Self.isBlank(arguments[index + 1]) else { return nil }
                return isFile ? .file(index + 1) : .words(index + 1)
            }
        }
        guard index < arguments.endIndex, !needsVerb || hasVerb else { return nil }
        // The word `-` is no option. As the name of a file it means standard input.
        guard !Self.isBlank(arguments[index]), arguments[index] != "-" else { return nil }
        if isText { return .text(index) }
        guard !commands.contains(arguments[index]) else { return nil }
        return isNamed ? .words(index) : .file(index)
    }

    private enum Effect {
        case none
        /// The next word is the option's.
        case value
        /// A program text will follow.
        case text
        /// What is run comes from standard input.
        case nothing
        /// What is run is in this word.
        case here
        /// What is run is the next word.
        case next(isFile: Bool)
    }

    private func effect(of word: String) -> Effect {
        if word.hasPrefix("--"), let name = word.parted(at: "=")?.before {
            return named.contains(name) || files.contains(name) ? .here : .none
        }
        if named.contains(word), !isShell { return .next(isFile: false) }
        if files.contains(word) { return .next(isFile: true) }
        if valued.contains(word) { return .value }
        guard clusters, !word.hasPrefix("--") else { return .none }
        var effect = Effect.none
        var letters = word.unicodeScalars.dropFirst()
        while let letter = letters.popFirst() {
            let option = "-\(letter)"
            if isShell {
                if letter == "c", word.hasPrefix("-") { effect = .text }
                if letter == "s", word.hasPrefix("-") { return .nothing }
                if valued.contains(option) { return .value }
            } else if named.contains(option) {
                return letters.isEmpty ? .next(isFile: false) : .here
            } else if valued.contains(option) {
                return letters.isEmpty ? .value : .none
            } else if attached.unicodeScalars.contains(letter) {
                return .none
            }
        }
        return effect
    }

    private static func isOption(_ word: String, _ isShell: Bool) -> Bool {
        guard word.utf8.count > 1 else { return false }
        return word.hasPrefix("-") || isShell && word.hasPrefix("+")
    }

    private static func isBlank(_ word: String) -> Bool {
        word.unicodeScalars.allSatisfy(\.properties.isWhitespace)
    }
}
