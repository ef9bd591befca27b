/// What a program has switched on the terminal, as far as a lock screen must put it back.
struct ProgramModes: Sendable, Hashable {
    /// The private modes that are watched, and what each is before any program ran.
    static let watched: [Int: Bool] = [
        1: false, 6: false, 7: true, 9: false, 25: true, 47: false, 1000: false, 1002: false, 1003: false,
        1004: false, 1005: false, 1006: false, 1015: false, 1047: false, 1049: false, 2004: false,
    ]
    private static let alternate: Set<Int> = [47, 1047, 1049]

    /// The modes that are not as they were at first.
    private(set) var changed: Set<Int> = []
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
    var wantsFocus: Bool { changed.contains(1004) }

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

    /// Switches everything but the screen itself as the program had it.
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
        return text
    }

    private static func pop(_ keyboard: [Int]) -> String {
        keyboard.isEmpty ? "" : "\u{1B}[<\(keyboard.count)u"
    }

    private static func push(_ keyboard: [Int]) -> String {
        keyboard.map { "\u{1B}[>\($0)u" }.joined()
    }

    private static func sequence(_ mode: Int, _ isOn: Bool) -> String { "\u{1B}[?\(mode)\(isOn ? "h" : "l")" }
}

/// The modes of a screen of ours, around what the program had.
enum ScreenModes {
    /// What `guard` itself wants of the terminal as long as it runs: to be told of its focus.
    static let began = "\u{1B}[?1004h"
    static let ended = "\u{1B}[?1004l"

    /// From the program's screen to ours: an empty one, with the mouse, without the cursor.
    ///
    /// On the normal screen ours is the alternate one, so that the normal one comes back as it was, cursor and
    /// pen included. There is one alternate screen only: a program on it has to redraw, and the terminal keeps
    /// its cursor and pen.
    static func enter(from modes: ProgramModes) -> String {
        modes.undoKeyboard + (modes.isAlternate ? "\u{1B}7" : "\u{1B}[?1049h")
            + modes.undo(leavingAlternate: false)
            + "\u{1B}(B\u{0F}\u{1B}[0m\u{1B}[2J\u{1B}[?25l\u{1B}[?1004h\u{1B}[?1000h\u{1B}[?1006h\u{1B}[?2004h"
    }

    /// From our screen back to the program's.
    static func leave(to modes: ProgramModes) -> String {
        "\u{1B}[0m\u{1B}[2J\u{1B}[?2004l\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?25h"
            + (modes.isAlternate ? "\u{1B}8" : "\u{1B}[?1049l") + modes.redo + began
    }

    /// From our screen to none: nothing of what was covered stays to be seen.
    static func close(from modes: ProgramModes) -> String {
        "\u{1B}[0m\u{1B}[2J\u{1B}[?2004l\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?25h\u{1B}[?1049l\u{1B}[H\u{1B}[2J"
            + modes.undoMainKeyboard
    }
}
