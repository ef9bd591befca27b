/// The rules by which the arguments of a launcher, such as a shell or an interpreter, name the program to
/// run.
struct LaunchGrammar: Sendable {
    /// The thing that a launcher runs. The number is an index into the launcher's arguments.
    enum Subject: Hashable, Sendable {
        /// A file.
        case file(Int)
        /// A shell's program text.
        case text(Int)
        /// A thing without a file path, such as an app that is given by its id. The arguments up to this
        /// index name the thing.
        case words(Int)
    }

    /// Whether `-ab` stands for `-a -b`, as in getopt(3).
    var clusters = false
    /// Options whose value is the thing to run but not a file, such as a program text or a module.
    var named: Set<String> = []
    /// Options whose value is the file to run.
    var files: Set<String> = []
    /// Options whose value does not name the thing to run.
    var valued: Set<String> = []
    /// Option letters whose value is the rest of the same word.
    var attached = ""
    /// Words that stand before the file or the name to run, such as `run` in `flatpak run`.
    var verbs: Set<String> = []
    /// Whether the launcher runs nothing without one of the `verbs`.
    var needsVerb = false
    /// The launcher's own commands. If one of them is in the place of the file, the launcher runs no file.
    var commands: Set<String> = []
    /// Whether the first argument that is not an option is the name of a module or of an app, and not the
    /// path of a file.
    var isNamed = false
    /// Whether the launcher is a shell. After `-c`, the first argument that is no option is the text of a
    /// program. With `-s`, the shell reads its commands from standard input.
    var isShell = false

    /// Whether the arguments of a program tell it to run a file or a program text.
    static func runsFile(_ path: String, _ arguments: [String]) -> Bool {
        switch subject(program: path, called: path, arguments) {
        case .file, .text: true
        case .words, nil: false
        }
    }

    /// Returns the thing that a launcher runs; `nil` if the launcher's arguments name nothing to run.
    ///
    /// - Parameters:
    ///   - path: the path of the launcher's file.
    ///   - name: the name by which the launcher was called. If the launcher's file holds several commands,
    ///     the name selects one of the commands.
    ///   - arguments: the arguments without that name.
    static func subject(program path: String, called name: String, _ arguments: [String]) -> Subject? {
        let called = ProtectedPrograms.known(ExecLine.baseName(name))
        // The table of known programs may contain only the name by which the launcher was called, or only the
        // name of the launcher's file. So both names are looked up.
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

    /// Returns the thing that the arguments tell the launcher to run; `nil` if they name nothing to run.
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
        // The word `-` is no option. As the name of a file it means standard input, which identifies no app.
        guard !Self.isBlank(arguments[index]), arguments[index] != "-" else { return nil }
        if isText { return .text(index) }
        guard !commands.contains(arguments[index]) else { return nil }
        return isNamed ? .words(index) : .file(index)
    }

    private enum Effect {
        case none
        /// The next word is the option's value.
        case value
        /// A program text follows as an argument.
        case text
        /// The program to run comes from standard input.
        case nothing
        /// This word contains the thing to run.
        case here
        /// The next word is the thing to run.
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
