/// What a program has switched on the terminal, as far as a lock screen must put it back.
struct ProgramModes: Sendable, Hashable {
    /// The private modes that are watched, and what each is before any program ran.
    static let watched: [Int: Bool] = [
        1: false, 6: false, 7: true, 9: false, 25: true, 47: false, 1000: false, 1002: false, 1003: false,
        1004: false, 1005: false, 1006: false, 1015: false, 1047: false, 1049: false, 2004: false,
    ]
    private static let alternate: Set<Int> = [47, 1047, 1049]
    /// The mode in which a terminal reports its focus.
    static let focusReports = 1004

    /// The modes that are not as they were at first.
    private(set) var changed: Set<Int> = []
    /// Those that were saved, and whether they were on (XTSAVE).
    private var saved: [Int: Bool] = [:]
    /// The titles of the terminal's window.
    var titles = ProgramTitles()
    /// The keypad sends sequences.
    var isKeypadApplication = false
    /// Characters are inserted.
    var isInserting = false
    /// The kitty keyboard protocol's flags on the normal screen, innermost last.
    private var mainKeyboard: [Int] = []
    /// The same on the alternate one: terminals keep two stacks.
    private var alternateKeyboard: [Int] = []
    /// xterm's modifyOtherKeys; 0 is off.
    var modifyOtherKeys = 0

    /// Whether the alternate screen is shown.
    var isAlternate: Bool { !changed.isDisjoint(with: Self.alternate) }

    /// Whether the program wants to know about the terminal's focus.
    var wantsFocus: Bool { changed.contains(Self.focusReports) }

    /// The flags of the screen that is shown.
    var keyboardStack: [Int] {
        get { isAlternate ? alternateKeyboard : mainKeyboard }
        set { if isAlternate { alternateKeyboard = newValue } else { mainKeyboard = newValue } }
    }

    mutating func set(_ mode: Int, _ isOn: Bool) {
        guard let atFirst = Self.watched[mode] else { return }
        if isOn == atFirst { changed.remove(mode) } else { changed.insert(mode) }
        // Leaving the alternate screen by one number leaves it for all.
        if !isOn, Self.alternate.contains(mode) { changed.subtract(Self.alternate) }
    }

    mutating func save(_ modes: [Int]) {
        for mode in modes {
            if let atFirst = Self.watched[mode] { saved[mode] = changed.contains(mode) != atFirst }
        }
    }

    /// As they were saved; off where they were not.
    mutating func restore(_ modes: [Int]) {
        for mode in modes { set(mode, saved[mode] ?? false) }
    }

    mutating func pushKeyboard(_ flags: Int) {
        // Terminals bound the stack too.
        if keyboardStack.count >= 16 { keyboardStack.removeFirst() }
        keyboardStack.append(flags)
    }

    mutating func popKeyboard(_ count: Int) {
        keyboardStack.removeLast(min(keyboardStack.count, count))
    }

    /// The keyboard as it was at first, on the screen that is shown.
    var undoKeyboard: String { Self.pop(keyboardStack) }

    /// The normal screen's keyboard as it was at first; to be written after the alternate one was left.
    var undoMainKeyboard: String { isAlternate ? Self.pop(mainKeyboard) : "" }

    /// The normal screen's keyboard as the program had it; to be written before the alternate one comes.
    var redoMainKeyboard: String { isAlternate ? Self.push(mainKeyboard) : "" }

    /// Everything as it was at first.
    var undoAll: String { undoKeyboard + undo(leavingAlternate: true) + undoMainKeyboard }

    /// Everything but the keyboard, and if so the screen, as it was at first.
    func undo(leavingAlternate: Bool) -> String {
        var text = ""
        for mode in changed.sorted() where leavingAlternate || !Self.alternate.contains(mode) {
            text += Self.sequence(mode, Self.watched[mode] ?? false)
        }
        if isKeypadApplication { text += "\u{1B}>" }
        if isInserting { text += "\u{1B}[4l" }
        if modifyOtherKeys != 0 { text += "\u{1B}[>4;0m" }
        return text
    }

    /// Switches everything but the screen itself as the program had it, and gives the window its titles back.
    var redo: String {
        var text = ""
        // Mode 6 moves the cursor, which has been put back by now.
        for mode in changed.sorted() where !Self.alternate.contains(mode) && mode != 6 {
            text += Self.sequence(mode, !(Self.watched[mode] ?? false))
        }
        if isKeypadApplication { text += "\u{1B}=" }
        if isInserting { text += "\u{1B}[4h" }
        text += Self.push(keyboardStack)
        if modifyOtherKeys != 0 { text += "\u{1B}[>4;\(modifyOtherKeys)m" }
        return text + titles.putBack
    }

    private static func pop(_ keyboard: [Int]) -> String {
        keyboard.isEmpty ? "" : "\u{1B}[<\(keyboard.count)u"
    }

    private static func push(_ keyboard: [Int]) -> String {
        keyboard.map { "\u{1B}[>\($0)u" }.joined()
    }

    private static func sequence(_ mode: Int, _ isOn: Bool) -> String { "\u{1B}[?\(mode)\(isOn ? "h" : "l")" }
}
