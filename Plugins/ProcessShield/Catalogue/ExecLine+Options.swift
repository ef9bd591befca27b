extension ExecLine {
    /// What came of a wrapper's own words.
    enum Reading {
        /// They are taken away, and what is left is the command.
        case taken
        /// What they say is not known.
        case unknown
        /// They do not end, or a value in them does not.
        case nothing
    }

    /// Takes a wrapper's own words away: its options, and what else it wants before the command.
    mutating func take(_ wrapper: Wrapper, from words: inout ArraySlice<Word>, _ splits: inout Int) -> Reading
    {
        if wrapper.operand == .first, let word = words.first, !word.text.hasPrefix("-") {
            words.removeFirst()
        }
        while let word = words.first, word.text.hasPrefix("-") || wrapper.flags.contains(word.text) {
            words.removeFirst()
            if word.text == "--" { break }
            // What it comes to may be an option, several, or none.
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
            // A colon is behind `9` in ASCII.
            guard let first = words.first?.text.utf8, first.allSatisfy({ (0x30...0x3A).contains($0) }) else {
                return .taken
            }
            words.removeFirst()
        case .word:
            guard let word = words.popFirst() else { return .nothing }
            if word.hasFieldCode { return .unknown }
        }
        // An option behind it means something of its own, as in `flock FILE -c TEXT`, or is no command.
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

    /// Takes the value of an option that has one.
    ///
    /// - Parameter value: what stands in the option's own word.
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
        // Its own escapes are blanks and ends, and it may be told to look variables up.
        if word.text.contains("\\") || word.text.contains("${") { return .unknown }
        guard let inner = Self.words(of: Self.asLine(word.text)) else { return .nothing }
        words = (inner + words)[...]
        return .taken
    }

    /// Whether an option is a number of its own: `-5`, `--5`, `-+5`.
    private static func isNumber(_ option: String) -> Bool {
        var digits = option.utf8.dropFirst()
        if let sign = digits.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            digits = digits.dropFirst()
        }
        return !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) }
    }
}
