/// The titles that a program gave the terminal's window, as far as they must be put back after a lock screen.
struct ProgramTitles: Sendable, Hashable {
    /// No title is longer than what of it is kept.
    static let longest = 1024
    /// As many as xterm keeps.
    private static let deepest = 10

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

    /// Takes what stands in an OSC sequence.
    mutating func take(command: [UInt8]) {
        guard command.count >= 2, command[1] == UInt8(ascii: ";") else { return }
        let title = Self.text(command[2...])
        switch command[0] {
        case UInt8(ascii: "0"): shown = Pair(window: title, icon: title)
        case UInt8(ascii: "1"): shown.icon = title
        case UInt8(ascii: "2"): shown.window = title
        default: break
        }
    }

    /// Takes what stands between ESC k and its end.
    mutating func take(name: [UInt8]) { self.name = Self.text(name[...]) }

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

    /// Gives the terminal the titles of the program; nothing for those that it did not set.
    var putBack: String {
        var text = ""
        if let icon = shown.icon { text += "\u{1B}]1;\(icon)\u{1B}\\" }
        if let window = shown.window { text += "\u{1B}]2;\(window)\u{1B}\\" }
        if let name { text += "\u{1B}k\(name)\u{1B}\\" }
        return text
    }

    /// A title without what would end it.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        let all = String(decoding: bytes, as: UTF8.self).unicodeScalars
        return String(String.UnicodeScalarView(all.filter { $0.properties.generalCategory != .control }))
    }
}
