/// The titles that a program has given the terminal's window. A covering screen must restore them.
struct ProgramTitles: Sendable, Hashable {
    /// The greatest number of bytes that are kept of a title. Real titles are shorter.
    static let longest = 1024
    /// The greatest depth of the stack, the same as in xterm.
    private static let deepest = 10
    /// The numbers of two title modes of xterm: titles are set in hexadecimal, and titles are reported in
    /// hexadecimal.
    private static let setsHex = 0
    private static let tellsHex = 1

    private struct Pair: Sendable, Hashable {
        /// The title of the window, OSC 2; `nil` for the title from before the program's start.
        var window: String?
        /// The title of the icon, OSC 1.
        var icon: String?
    }

    private var shown = Pair()
    private var stack: [Pair] = []
    /// The number of titles that the program has pushed and not popped. It may exceed the depth of xterm's
    /// stack, because some terminals have a deeper stack.
    private(set) var depth = 0
    /// The name of the window in tmux and GNU screen, ESC k.
    private(set) var name: String?
    /// The title modes of xterm that are switched on (XTSMTITLE).
    private var modes: Set<Int> = []

    /// Applies the content of an OSC sequence.
    mutating func take(command: [UInt8]) {
        guard command.count >= 2, command[1] == UInt8(ascii: ";") else { return }
        let title = modes.contains(Self.setsHex) ? Self.hexText(command[2...]) : Self.text(command[2...])
        switch command[0] {
        case UInt8(ascii: "0"): shown = Pair(window: title, icon: title)
        case UInt8(ascii: "1"): shown.icon = title
        case UInt8(ascii: "2"): shown.window = title
        default: break
        }
    }

    /// Applies the text between ESC k and its end.
    mutating func take(name: [UInt8]) { self.name = Self.text(name[...]) }

    /// Notes title modes that the program has switched on or off.
    mutating func setModes(_ numbers: [Int], _ isOn: Bool) {
        let own = Set(numbers).intersection([Self.setsHex, Self.tellsHex])
        if isOn { modes.formUnion(own) } else { modes.subtract(own) }
    }

    /// Notes that the program has pushed its titles on the stack.
    mutating func push() {
        if stack.count >= Self.deepest { stack.removeFirst() }
        stack.append(shown)
        depth += 1
    }

    /// Notes that the program has popped titles. `which` is 1 for the icon's title, 2 for the window's title,
    /// and another number for both titles.
    mutating func pop(_ which: Int) {
        let last = stack.popLast() ?? Pair()
        depth = max(depth - 1, 0)
        if which != 1 { shown.window = last.window }
        if which != 2 { shown.icon = last.icon }
    }

    /// The sequence that resets the title modes.
    var undoModes: String { modes.isEmpty ? "" : Self.plainModes }

    /// The sequence after which titles are set and reported as text, whatever the modes were.
    static let plainModes = "\u{1B}[>\(setsHex);\(tellsHex)T"

    /// The sequences that set the program's titles and title modes again; empty when the program has set
    /// none. The title modes come last, because the titles before them are plain text.
    var putBack: String {
        var text = ""
        if let icon = shown.icon { text += "\u{1B}]1;\(icon)\u{1B}\\" }
        if let window = shown.window { text += "\u{1B}]2;\(window)\u{1B}\\" }
        if let name { text += "\u{1B}k\(name)\u{1B}\\" }
        if !modes.isEmpty {
            text += "\u{1B}[>\(modes.sorted().map(String.init).joined(separator: ";"))t"
        }
        return text
    }

    /// Returns a title without its control characters. A control character could end the sequence that sets
    /// the title.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        let all = String(decoding: bytes.prefix(longest), as: UTF8.self).unicodeScalars
        return String(String.UnicodeScalarView(all.filter { $0.properties.generalCategory != .control }))
    }

    /// Decodes a title in hexadecimal, up to the first character that is no hexadecimal digit.
    private static func hexText(_ bytes: ArraySlice<UInt8>) -> String {
        let digits = bytes.prefix(2 * longest).map { Character(Unicode.Scalar($0)).hexDigitValue }
            .prefix { $0 != nil }.compactMap(\.self)
        let all = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
        return text(all[...])
    }
}
