/// The modes of a screen of ours, around what the program had.
enum ScreenModes {
    /// Asks the terminal to report its focus.
    static let focusReports = "\u{1B}[?1004h"
    /// The same, also of a terminal that was put into VT52 mode.
    static let focusReportsAgain = "\u{1B}<" + focusReports
    static let noFocusReports = "\u{1B}[?1004l"
    /// What `guard` itself wants of the terminal as long as it runs: to be told of its focus. The titles from before
    /// are put aside.
    static let began = "\u{1B}[22;0t" + focusReports
    static let ended = noFocusReports + "\u{1B}[23;0t"

    /// Ends whatever the output before has begun, in every terminal.
    ///
    /// CAN breaks a sequence off, also one that ended right after ESC. Inside a DCS of tmux, and in any string of GNU
    /// screen, it is text, as BEL is: those end with ST alone, which elsewhere means nothing by itself. Terminals
    /// differ in what they take for a string, so this is sent whatever the output seemed to be in the middle of. An
    /// update that was to be shown in one piece is shown.
    ///
    /// Behind that come the ways back from where a terminal takes our sequences for something else, or for nothing:
    /// ESC < from VT52 mode (xterm's control sequences: DECANM), and DECSASD from the status line.
    static let breakOff = "\u{18}\u{1B}\\\u{1B}<\u{1B}[0$}\u{1B}[?2026l"

    private static let title = "Portcullis"

    /// From the program's screen to ours: an empty one, with the mouse, without the cursor, and with a title of ours.
    ///
    /// On the normal screen ours is the alternate one, so that the normal one comes back as it was, cursor and
    /// pen included. There is one alternate screen only: a program on it has to redraw, and the terminal keeps
    /// its cursor and pen.
    static func enter(from modes: ProgramModes) -> String {
        breakOff + hideTitles(of: modes) + modes.undoKeyboard
            + (modes.isAlternate ? "\u{1B}7" : "\u{1B}[?1049h") + modes.undo(leavingAlternate: false)
            + "\(plainPen)\u{1B}[2J\u{1B}[?25l\(focusReports)\u{1B}[?1000h\u{1B}[?1006h\u{1B}[?2004h"
    }

    /// From our screen back to the program's.
    static func leave(to modes: ProgramModes) -> String {
        "\u{1B}[0m\u{1B}[2J\u{1B}[?2004l\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?25h"
            + (modes.isAlternate ? "\u{1B}8" : "\u{1B}[?1049l") + showTitles + modes.redo + focusReports
    }

    /// From our screen to none: nothing of what was covered stays to be seen.
    static func close(from modes: ProgramModes) -> String {
        "\u{1B}[0m\u{1B}[2J\u{1B}[?2004l\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?25h\u{1B}[?1049l\u{1B}[H\u{1B}[2J"
            + showTitles + modes.undoMainKeyboard
    }

    /// From the program's screen to lines of text of ours: what was shown is erased, not put aside.
    static func enterLines(from modes: ProgramModes) -> String {
        breakOff + hideTitles(of: modes) + modes.undoKeyboard + modes.undo(leavingAlternate: false)
            + "\(plainPen)\u{1B}[?25h\u{1B}[2J\u{1B}[H"
    }

    /// From lines of ours to the program's, below them.
    static func leaveLines(to modes: ProgramModes) -> String { "\u{1B}[0m" + showTitles + modes.redo }

    /// From lines of ours to none; what was under them is gone already.
    static func closeLines(from modes: ProgramModes) -> String {
        "\u{1B}[0m" + showTitles + (modes.isAlternate ? "\u{1B}[?1049l\u{1B}[H\u{1B}[2J" : "")
            + modes.undoMainKeyboard
    }

    /// The pen and the character sets as they are at first, and no link under what is drawn.
    private static let plainPen = "\u{1B}]8;;\u{1B}\\\u{1B}(B\u{0F}\u{1B}[0m" + unlocked

    /// What erases a screen spares no guarded cells: DECSCA makes the terminal's protection the one that only a
    /// selective erase heeds. The keyboard is not locked (KAM).
    private static let unlocked = "\u{1B}[0\"q\u{1B}[2l"

    /// The program's titles are put aside and replaced by ours. Not every terminal can put them aside: those that were
    /// read along are put back in any case.
    private static func hideTitles(of modes: ProgramModes) -> String {
        "\u{1B}[22;0t\u{1B}]0;\(title)\u{1B}\\" + (modes.titles.name == nil ? "" : "\u{1B}k\(title)\u{1B}\\")
    }

    private static let showTitles = "\u{1B}[23;0t"
}
