/// The modes that a program has set on the terminal. The tracked modes are those that a covering screen
/// changes and must therefore restore.
struct ProgramModes: Sendable, Hashable {
    /// The tracked private modes. The value of each is its state before any program ran.
    static let watched: [Int: Bool] = [
        1: false, 6: false, 7: true, 9: false, 25: true, 47: false, shownPage: true, 66: false, 69: false,
        1000: false, 1001: false, 1002: false, 1003: false, 1004: false, 1005: false, 1006: false,
        1015: false, 1016: false, 1047: false, 1049: false, 2004: false,
    ]
    /// The tracked modes whose control sequences have no `?`. The value of each is its state before any
    /// program ran. The modes are insert mode (IRM), the mode without an echo by the terminal itself (SRM),
    /// and the mode in which the Return key sends two characters (LNM).
    static let watchedStandard: [Int: Bool] = [4: false, 12: true, 20: false]
    private static let alternate: Set<Int> = [47, 1047, 1049]
    /// Modes that affect the cursor's position. They are restored together with the cursor.
    private static let placing: Set<Int> = [6, marginsOfColumns]
    private static let marginsOfColumns = 69
    /// The mode in which the terminal shows the page that contains the cursor (DECPCCM).
    static let shownPage = 64
    /// The mode in which a terminal reports its focus.
    static let focusReports = 1004
    /// The mode in which xterm draws as a Tektronix 4014, in a window of its own.
    static let tektronix = 38

    /// The modes that are not in the state that they had before any program ran.
    private(set) var changed: Set<Int> = []
    /// The modes that the program has saved, with their states (XTSAVE).
    private var saved: [Int: Bool] = [:]
    /// The modes without `?` that are not in the state that they had before any program ran.
    private var changedStandard: Set<Int> = []
    /// The titles of the terminal's window.
    var titles = ProgramTitles()
    var colours = ProgramColours()
    var margins = ProgramMargins()
    /// Whether the keypad sends escape sequences instead of digits.
    var isKeypadApplication = false
    /// Whether xterm's Tektronix window may contain a drawing.
    var hasDrawing = false
    /// Whether the terminal reads the program's output in an encoding other than UTF-8 (ESC % @).
    var isWithoutUTF8 = false
    private var mainKeyboard = ProgramKeyboard()
    /// The keyboard flags of the alternate screen. Terminals keep flags for each screen.
    private var alternateKeyboard = ProgramKeyboard()
    /// The state of xterm's modifyOtherKeys; 0 is off.
    var modifyOtherKeys = 0

    /// Whether the alternate screen is shown.
    var isAlternate: Bool { !changed.isDisjoint(with: Self.alternate) }

    /// Whether the program has asked for the terminal's focus reports.
    var wantsFocus: Bool { changed.contains(Self.focusReports) }

    /// Whether the program has switched column margins on.
    var hasMarginsOfColumns: Bool { changed.contains(Self.marginsOfColumns) }

    /// The keyboard flags of the shown screen.
    var keyboard: ProgramKeyboard {
        get { isAlternate ? alternateKeyboard : mainKeyboard }
        set { if isAlternate { alternateKeyboard = newValue } else { mainKeyboard = newValue } }
    }

    mutating func set(_ mode: Int, _ isOn: Bool) {
        guard let atFirst = Self.watched[mode] else { return }
        if isOn == atFirst { changed.remove(mode) } else { changed.insert(mode) }
        // Several modes show the alternate screen. Switching one of them off resets all of them.
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

    /// Restores saved modes. A mode that was not saved is switched off.
    mutating func restore(_ modes: [Int]) {
        for mode in modes { set(mode, saved[mode] ?? false) }
    }

    /// The sequences that reset the keyboard flags of the shown screen.
    var undoKeyboard: String { keyboard.undo }

    /// The sequences that reset the normal screen's keyboard flags. They are written after leaving the
    /// alternate screen.
    var undoMainKeyboard: String { isAlternate ? mainKeyboard.undo : "" }

    /// The sequences that set the program's keyboard flags of the normal screen again. They are written
    /// before the alternate screen is shown.
    var redoMainKeyboard: String { isAlternate ? mainKeyboard.redo : "" }

    /// The sequences that reset all tracked modes to their state before any program ran.
    var undoAll: String {
        undoKeyboard + undo(leavingAlternate: true) + margins.undo + titles.undoModes + undoMainKeyboard
    }

    /// The sequences that reset all tracked modes except the keyboard flags, title modes and row margins.
    /// With `leavingAlternate` they also leave the alternate screen.
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

    /// The sequences that set the program's margins again. They move the cursor.
    var redoMargins: String { margins.redo(hasColumns: hasMarginsOfColumns) }

    /// The sequences that set the program's modes and colours again, and restore the window's titles. The
    /// alternate screen, the margins and the modes of the cursor's position are not included.
    var redo: String {
        var text = ""
        // The modes of the cursor's position were already restored together with the cursor.
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
