/// What a program has switched on the terminal, as far as a lock screen must put it back.
struct ProgramModes: Sendable, Hashable {
    /// The private modes that are watched, and what each is before any program ran.
    static let watched: [Int: Bool] = [
        1: false, 6: false, 7: true, 9: false, 25: true, 47: false, shownPage: true, 66: false, 69: false,
        1000: false, 1001: false, 1002: false, 1003: false, 1004: false, 1005: false, 1006: false,
        1015: false, 1016: false, 1047: false, 1049: false, 2004: false,
    ]
    /// The same for the modes that have no `?`: inserting (IRM), that the terminal leaves echoing to the program
    /// (SRM), and that Return sends two characters (LNM).
    static let watchedStandard: [Int: Bool] = [4: false, 12: true, 20: false]
    private static let alternate: Set<Int> = [47, 1047, 1049]
    /// Where the terminal writes, which is put back together with the cursor.
    private static let placing: Set<Int> = [6, marginsOfColumns]
    private static let marginsOfColumns = 69
    /// The mode in which the page with the cursor is the one that is shown (DECPCCM).
    static let shownPage = 64
    /// The mode in which a terminal reports its focus.
    static let focusReports = 1004
    /// The mode in which xterm draws as a Tektronix 4014, in a window of its own.
    static let tektronix = 38

    /// The modes that are not as they were at first.
    private(set) var changed: Set<Int> = []
    /// Those that were saved, and whether they were on (XTSAVE).
    private var saved: [Int: Bool] = [:]
    /// Those without `?` that are not as they were at first.
    private var changedStandard: Set<Int> = []
    /// The titles of the terminal's window.
    var titles = ProgramTitles()
    var colours = ProgramColours()
    var margins = ProgramMargins()
    /// The keypad sends sequences.
    var isKeypadApplication = false
    /// There may be a drawing in xterm's other window.
    var hasDrawing = false
    /// Bytes are no UTF-8 (ESC % @).
    var isWithoutUTF8 = false
    private var mainKeyboard = ProgramKeyboard()
    /// Terminals keep one for each screen.
    private var alternateKeyboard = ProgramKeyboard()
    /// xterm's modifyOtherKeys; 0 is off.
    var modifyOtherKeys = 0

    /// Whether the alternate screen is shown.
    var isAlternate: Bool { !changed.isDisjoint(with: Self.alternate) }

    /// Whether the program wants to know about the terminal's focus.
    var wantsFocus: Bool { changed.contains(Self.focusReports) }

    /// Whether the program switched margins of columns on.
    var hasMarginsOfColumns: Bool { changed.contains(Self.marginsOfColumns) }

    /// The keyboard of the screen that is shown.
    var keyboard: ProgramKeyboard {
        get { isAlternate ? alternateKeyboard : mainKeyboard }
        set { if isAlternate { alternateKeyboard = newValue } else { mainKeyboard = newValue } }
    }

    mutating func set(_ mode: Int, _ isOn: Bool) {
        guard let atFirst = Self.watched[mode] else { return }
        if isOn == atFirst { changed.remove(mode) } else { changed.insert(mode) }
        // Leaving the alternate screen by one number leaves it for all.
        if !isOn, Self.alternate.contains(mode) { changed.subtract(Self.alternate) }
        if mode == Self.marginsOfColumns, !isOn { margins.setColumns([]) }
    }

    mutating func setStandard(_ mode: Int, _ isOn: Bool) {
        guard let atFirst = Self.watchedStandard[mode] else { return }
        if isOn == atFirst { changedStandard.remove(mode) } else { changedStandard.insert(mode) }
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

    /// The keyboard as it was at first, on the screen that is shown.
    var undoKeyboard: String { keyboard.undo }

    /// The normal screen's keyboard as it was at first; to be written after the alternate one was left.
    var undoMainKeyboard: String { isAlternate ? mainKeyboard.undo : "" }

    /// The normal screen's keyboard as the program had it; to be written before the alternate one comes.
    var redoMainKeyboard: String { isAlternate ? mainKeyboard.redo : "" }

    /// Everything as it was at first.
    var undoAll: String {
        undoKeyboard + undo(leavingAlternate: true) + margins.undo + titles.undoModes + undoMainKeyboard
    }

    /// Everything but the keyboard, titles and margins of rows, and if so the screen, as it was at first.
    func undo(leavingAlternate: Bool) -> String {
        var text = ""
        for mode in changed.sorted() where leavingAlternate || !Self.alternate.contains(mode) {
            text += Self.sequence(mode, Self.watched[mode] ?? false)
        }
        for mode in changedStandard.sorted() {
            text += Self.standardSequence(mode, Self.watchedStandard[mode] ?? false)
        }
        if isKeypadApplication { text += "\u{1B}>" }
        if isWithoutUTF8 { text += "\u{1B}%G" }
        if modifyOtherKeys != 0 { text += "\u{1B}[>4;0m" }
        return text
    }

    /// Margins as the program had them; they move the cursor.
    var redoMargins: String { margins.redo(hasColumns: hasMarginsOfColumns) }

    /// Switches everything but the screen itself and its margins as the program had it, and gives the window its titles
    /// back.
    var redo: String {
        var text = ""
        // What places the cursor has been put back by now, with it.
        for mode in changed.sorted() where !Self.alternate.union(Self.placing).contains(mode) {
            text += Self.sequence(mode, !(Self.watched[mode] ?? false))
        }
        for mode in changedStandard.sorted() {
            text += Self.standardSequence(mode, !(Self.watchedStandard[mode] ?? false))
        }
        if isKeypadApplication { text += "\u{1B}=" }
        text += keyboard.redo
        if modifyOtherKeys != 0 { text += "\u{1B}[>4;\(modifyOtherKeys)m" }
        text += titles.putBack + colours.putBack
        if isWithoutUTF8 { text += "\u{1B}%@" }
        return text
    }

    private static func sequence(_ mode: Int, _ isOn: Bool) -> String { "\u{1B}[?\(mode)\(isOn ? "h" : "l")" }

    private static func standardSequence(_ mode: Int, _ isOn: Bool) -> String {
        "\u{1B}[\(mode)\(isOn ? "h" : "l")"
    }
}
