/// The titles that a program gave the terminal's window, as far as they must be put back after a lock screen.
struct ProgramTitles: Sendable, Hashable {
    /// No title is longer than what of it is kept.
    static let longest = 1024
    /// As many as xterm keeps.
    private static let deepest = 10
    /// xterm's title mode in which titles are set in hexadecimal, and that in which they are told so.
    private static let setsHex = 0
    private static let tellsHex = 1

    private struct Pair: Sendable, Hashable {
        /// Of the window, OSC 2; `nil` for what it was before the program.
        var window: String?
        /// Of the icon, OSC 1.
        var icon: String?
    }

    private var shown = Pair()
    private var stack: [Pair] = []
    /// What tmux and GNU screen call the window, ESC k.
    private(set) var name: String?
    /// xterm's title modes that are on (XTSMTITLE), of those two.
    private var modes: Set<Int> = []

    /// Takes what stands in an OSC sequence.
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

    /// Takes what stands between ESC k and its end.
    mutating func take(name: [UInt8]) { self.name = Self.text(name[...]) }

    /// The program switched title modes.
    mutating func setModes(_ numbers: [Int], _ isOn: Bool) {
        let own = Set(numbers).intersection([Self.setsHex, Self.tellsHex])
        if isOn { modes.formUnion(own) } else { modes.subtract(own) }
    }

    /// The program put its titles aside.
    mutating func push() {
        if stack.count >= Self.deepest { stack.removeFirst() }
        stack.append(shown)
    }

    /// The program took back what it had put aside: all of it, the icon's alone (1) or the window's (2).
    mutating func pop(_ which: Int) {
        let last = stack.popLast() ?? Pair()
        if which != 1 { shown.window = last.window }
        if which != 2 { shown.icon = last.icon }
    }

    /// Title modes as they were at first.
    var undoModes: String { modes.isEmpty ? "" : Self.plainModes }

    /// Titles are set and told as text, whatever they were.
    static let plainModes = "\u{1B}[>\(setsHex);\(tellsHex)T"

    /// Gives the terminal the titles of the program; nothing for those that it did not set. Its title modes come last.
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

    /// A title without what would end it.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        let all = String(decoding: bytes.prefix(longest), as: UTF8.self).unicodeScalars
        return String(String.UnicodeScalarView(all.filter { $0.properties.generalCategory != .control }))
    }

    /// A title in hexadecimal, up to what is none.
    private static func hexText(_ bytes: ArraySlice<UInt8>) -> String {
        let digits = bytes.prefix(2 * longest).map { Character(Unicode.Scalar($0)).hexDigitValue }
            .prefix { $0 != nil }.compactMap(\.self)
        let all = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
        return text(all[...])
    }
}
