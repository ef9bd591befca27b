extension ExecLine {
    /// The result of parsing the words that belong to a wrapper itself, such as `nice -n 5`.
    enum Reading {
        /// The wrapper's words were removed, and the remaining words are the command.
        case taken
        /// The wrapper has a word of unknown meaning.
        case unknown
        /// The command line ends before a value or an operand that the wrapper needs, or a quote in a value
        /// is open.
        case nothing
    }

    /// Removes a wrapper's own words from the front of `words`: its options and its operand.
    mutating func take(_ wrapper: Wrapper, from words: inout ArraySlice<Word>, _ splits: inout Int) -> Reading
    {
        if wrapper.operand == .first, let word = words.first, !word.text.hasPrefix("-") {
            words.removeFirst()
        }
        while let word = words.first, word.text.hasPrefix("-") || wrapper.flags.contains(word.text) {
            words.removeFirst()
            if word.text == "--" { break }
            // A field code may expand to an option, to several options, or to nothing. So the meaning of the
            // words after it is unknown.
            if word.hasFieldCode { return .unknown }
            let reading = take(word.text, of: wrapper, from: &words, &splits)
            if reading != .taken { return reading }
        }
        return takeOperand(of: wrapper, from: &words)
    }

    private func takeOperand(of wrapper: Wrapper, from words: inout ArraySlice<Word>) -> Reading {
        switch wrapper.operand {
        case .none, .first: return .taken
        case .number:
            // The operand may be two numbers with a colon between them. The colon follows `9` in ASCII, so
            // one range covers the digits and the colon.
            guard let first = words.first?.text.utf8, first.allSatisfy({ (0x30...0x3A).contains($0) }) else {
                return .taken
            }
            words.removeFirst()
        case .word:
            guard let word = words.popFirst() else { return .nothing }
            if word.hasFieldCode { return .unknown }
        }
        // If the word after the operand begins with a dash, it is not the command. It may be an option with a
        // meaning of its own, as in `flock FILE -c TEXT`.
        return words.first?.text.hasPrefix("-") == true ? .unknown : .taken
    }

    private mutating func take(
        _ option: String,
        of wrapper: Wrapper,
        from words: inout ArraySlice<Word>,
        _ splits: inout Int
    ) -> Reading {
        if wrapper.flags.contains(option) || wrapper.optional.contains(option) { return .taken }
        if wrapper.takesNumbers, Self.isNumber(option) { return .taken }
        if wrapper.hasLongOnly || option.hasPrefix("--") {
            let (name, value) = option.parted(at: "=").map { ($0.before, $0.after) } ?? (option, nil)
            if let others = wrapper.others { return others.contains(name) ? .unknown : .taken }
            if wrapper.optional.contains(name) { return .taken }
            return take(value, of: name, of: wrapper, from: &words, &splits)
        }
        var letters = option.unicodeScalars.dropFirst()
        while let letter = letters.popFirst() {
            let name = "-\(letter)"
            if wrapper.flags.contains(name) { continue }
            if wrapper.optional.contains(name) { return .taken }
            let value = letters.isEmpty ? nil : String(String.UnicodeScalarView(letters))
            return take(value, of: name, of: wrapper, from: &words, &splits)
        }
        return option == "-" ? .unknown : .taken
    }

    /// Removes the value of an option that requires a value.
    ///
    /// - Parameter value: the value, if it is in the same word as the option; `nil` if the next word is the
    ///   value.
    private mutating func take(
        _ value: String?,
        of name: String,
        of wrapper: Wrapper,
        from words: inout ArraySlice<Word>,
        _ splits: inout Int
    ) -> Reading {
        let isSplit = wrapper.split.contains(name)
        let isFolder = wrapper.folder.contains(name)
        guard isSplit || isFolder || wrapper.valued.contains(name) else { return .unknown }
        let word = value.map { Word(text: $0) } ?? words.popFirst()
        guard let word else { return .nothing }
        if word.hasFieldCode { return .unknown }
        if isFolder { folder = word.text }
        guard isSplit else { return .taken }
        splits += 1
        // The option `-S` of env(1) has escapes of its own, such as `\_` and `\c`, and replaces `${NAME}` by
        // the value of a variable. So the meaning of a value with a backslash or with `${` is unknown.
        if word.text.contains("\\") || word.text.contains("${") { return .unknown }
        guard let inner = Self.words(of: Self.asLine(word.text)) else { return .nothing }
        words = (inner + words)[...]
        return .taken
    }

    /// Whether an option is a number: `-5`, `--5`, `-+5`.
    private static func isNumber(_ option: String) -> Bool {
        var digits = option.utf8.dropFirst()
        if let sign = digits.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            digits = digits.dropFirst()
        }
        return !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) }
    }
}
