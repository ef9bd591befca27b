public import LockScreens
public import PortcullisCore

/// Screens as lines of text, for screen readers, pipes and terminals without escape sequences.
///
/// Each change is written once, in whole lines. A typed line is one of these:
/// - The whole entry. For an entry of fixed length, a line of digits must have exactly as many digits as the
///   entry still needs. If the entry may hold any character, the person doubles a `/` at its beginning.
/// - A word that the lines show in brackets, with or without a `/` before the word. If the entry may hold
///   any character, the `/` is needed.
/// - On a screen with a search, a `?` and a text, which narrows the list.
/// - On a screen with cards, a number, which shows the card at that place.
public struct PlainScreens: Sendable {
    private var told: ScreenContent?

    /// Creates the state before any content was written.
    public init() {}

    /// Returns the lines to write for new content: only the lines that have changed.
    public mutating func lines(for content: ScreenContent) -> [String] {
        let old = told
        told = content
        let isNewScreen = old.map { $0.title != content.title } ?? true
        var lines: [String] = []
        if isNewScreen { lines.append(ForeignText.tidy(content.title)) }
        if let alert = content.alert {
            if isNewScreen || alert != old?.alert {
                lines.append(ForeignText.tidy(alert.title))
                lines += alert.text.split(whereSeparator: \.isNewline).map { ForeignText.tidy(String($0)) }
                lines += words(alert.actions)
            }
            return lines
        }
        let returned = old?.alert != nil
        if !content.prompt.isEmpty, isNewScreen || content.prompt != old?.prompt {
            lines.append(content.prompt)
        }
        if let deck = content.cards, let card = deck.front, isNewScreen || deck != old?.cards {
            lines += [card.text, deck.accessibilityValue].map { ForeignText.tidy($0) }
        }
        if let message = content.message,
            isNewScreen || message != old?.message || content.shakes != old?.shakes
        {
            // A count-down is written only when it starts. Writing it each second would interrupt a screen
            // reader.
            let isCounting = message.kind == .countDown && old?.message?.kind == .countDown && !isNewScreen
            if !isCounting { lines.append(ForeignText.tidy(message.text)) }
        }
        if let hint = content.hint, isNewScreen || hint != old?.hint { lines.append(hint.text) }
        if let entry = content.entry, isNewScreen || returned || entry != old?.entry, !content.isBusy {
            lines.append(entry.accessibilityValue)
        }
        if let search = content.search, isNewScreen || returned || search != old?.search {
            lines.append("[?] \(search.prompt): \(ForeignText.tidy(search.text))")
            lines.append(search.summary)
        }
        lines += controlLines(content, since: isNewScreen || returned ? nil : old)
        if isNewScreen || returned || content.texts != old?.texts {
            lines += content.texts.flatMap(Self.lines)
        }
        if isNewScreen, Self.needsSlash(content) {
            lines.append("Words need a / before them here; an entry that begins with / takes two.")
        }
        return lines
    }

    /// Forgets the written content, so that the next content is written in full. The host calls this method
    /// before it shows another screen, and when the written lines were erased.
    public mutating func reset() { told = nil }

    /// Returns the lines for the controls. If the screen has a search and its controls have the same ids as
    /// before, only the lines of the changed controls are returned.
    private func controlLines(_ content: ScreenContent, since old: ScreenContent?) -> [String] {
        guard content.controls != old?.controls else { return [] }
        guard content.search != nil, let old, old.controls.map(\.id) == content.controls.map(\.id) else {
            return words(content.controls)
        }
        return words(zip(content.controls, old.controls).filter { $0 != $1 }.map(\.0))
    }

    private static func lines(_ text: ScreenText) -> [String] {
        switch text {
        case .paragraph(let text), .note(let text): [ForeignText.tidy(text)]
        case .items(let items): items.map { "- " + ForeignText.tidy($0) }
        }
    }

    private func words(_ controls: [ScreenControl]) -> [String] {
        controls.filter(\.isEnabled).flatMap { control -> [String] in
            let slash = told.map(Self.needsSlash) == true ? "/" : ""
            let label = ForeignText.line(control.accessibilityLabel, or: control.id.rawValue)
            let word = "[\(slash)\(ForeignText.tidy(control.id.rawValue))] \(label)"
            switch control.kind {
            case .button: return [word]
            case .option(let isChosen): return [word + (isChosen ? " (selected)" : "")]
            case .link(let chosen):
                return [word] + chosen.map { "  - " + ForeignText.line($0.label, or: $0.id.rawValue) }
            case .toggle(let isOn): return [word + (isOn ? ": on" : ": off")]
            case .choice(let options, let selected):
                return [word]
                    + options.enumerated().map { index, option in
                        "  [\(slash)\(control.id.rawValue) \(index + 1)] \(option)"
                            + (index == selected ? " (selected)" : "")
                    }
            }
        }
    }

    private static func needsSlash(_ content: ScreenContent) -> Bool {
        content.alert == nil && content.entry?.style == .field(digitsOnly: false)
    }

    /// Interprets a typed line on the screen that was written last.
    ///
    /// - Parameters:
    ///   - line: the line without its end.
    ///   - send: called with the inputs for the screen's model, in order.
    /// - Returns: whether the line was understood. If not, ``hint`` names the possible answers.
    public func interpret(_ line: SecretBytes, send: (ScreenInput) -> Void) -> Bool {
        guard let told else { return false }
        let slash = UInt8(ascii: "/")
        let (hasSlash, isDoubled) = line.withBytes { bytes in
            (
                bytes.count > 0 && bytes[0] == slash,
                bytes.count > 1 && bytes[0] == slash && bytes[1] == slash
            )
        }
        if Self.needsSlash(told), !hasSlash || isDoubled {
            guard line.count > 0 else { return false }
            let text = line.withBytes { SecretBytes(copying: $0.extracting((isDoubled ? 1 : 0)..<$0.count)) }
            send(.text(text))
            send(.submit)
            return true
        }
        if told.alert == nil, let entry = told.entry, isDigits(line) {
            if case .dots(let count) = entry.style, line.count != count - entry.filled { return false }
            line.withBytes { bytes in
                for index in 0..<bytes.count { send(.digit(Int(bytes[index]) - 0x30)) }
            }
            if case .field = entry.style { send(.submit) }
            return true
        }
        if told.alert == nil, let input = Self.search(line, on: told) ?? Self.card(line, on: told) {
            send(input)
            return true
        }
        return command(line, skipping: hasSlash ? 1 : 0, on: told, send)
    }

    /// The text to write for a line that was not understood.
    public var hint: String {
        guard let told else { return "Not understood." }
        // The rows of a list with a search would fill the screen, so they are left out.
        let search = told.alert == nil ? told.search : nil
        let controls = (told.alert?.actions ?? told.controls).filter { search == nil || $0.kind == .button }
        let slash = Self.needsSlash(told) ? "/" : ""
        let words = controls.filter(\.isEnabled).map { "[\(slash)\(ForeignText.tidy($0.id.rawValue))]" }
        let list = (search.map { ["[?] \($0.prompt)"] } ?? []) + words
        let choices = list.joined(separator: " ")
        guard told.alert == nil, let entry = told.entry, case .dots(let count) = entry.style else {
            return "Not understood. \(choices)"
        }
        let digits = "\(count - entry.filled) digits in one line"
        return choices.isEmpty ? "Not understood. \(digits)" : "Not understood. \(digits), or \(choices)"
    }

    /// The input that searches for the text after a question mark; `nil` if the screen has no search, or the
    /// line begins with another character. The text is no secret, so it need not be in protected memory.
    private static func search(_ line: SecretBytes, on content: ScreenContent) -> ScreenInput? {
        guard content.search != nil else { return nil }
        return line.withBytes { bytes in
            guard bytes.count > 0, bytes[0] == UInt8(ascii: "?") else { return nil }
            return .search(String(decoding: (1..<bytes.count).map { bytes[$0] }, as: UTF8.self))
        }
    }

    /// The input that shows the card with the typed number; `nil` if the screen has no cards, or the line is
    /// not the number of a card.
    private static func card(_ line: SecretBytes, on content: ScreenContent) -> ScreenInput? {
        guard let deck = content.cards, (1...3).contains(line.count) else { return nil }
        let text = line.withBytes { bytes in
            String(decoding: (0..<bytes.count).map { bytes[$0] }, as: UTF8.self)
        }
        guard let number = Int(text), deck.cards.indices.contains(number - 1) else { return nil }
        return .show(number - 1)
    }

    private func isDigits(_ line: SecretBytes) -> Bool {
        line.withBytes { bytes in
            guard bytes.count > 0 else { return false }
            for index in 0..<bytes.count where !(0x30...0x39).contains(bytes[index]) { return false }
            return true
        }
    }

    private func command(
        _ line: SecretBytes,
        skipping: Int,
        on content: ScreenContent,
        _ send: (ScreenInput) -> Void
    ) -> Bool {
        func isWord(_ word: String) -> Bool {
            line.withBytes { bytes in
                let expected = word.utf8
                guard bytes.count - skipping == expected.count else { return false }
                var index = skipping
                for byte in expected {
                    guard bytes[index] == byte else { return false }
                    index += 1
                }
                return true
            }
        }
        for control in (content.alert?.actions ?? content.controls) where control.isEnabled {
            let word = control.id.rawValue
            if isWord(word) {
                if case .choice = control.kind { return false }
                send(.activate(control.id))
                return true
            }
            guard case .choice(let options, _) = control.kind else { continue }
            if let index = options.indices.first(where: { isWord("\(word) \($0 + 1)") }) {
                send(.choose(control.id, index))
                return true
            }
        }
        return false
    }
}
