/// The modes of a screen of ours, around what the program had.
///
/// What our screen needs is switched whatever the program seems to have switched: terminals read its output in their own
/// ways. What was read along with only tells what to put back. Whatever a terminal does not know, and might show as
/// text, comes before the screen is cleared.
enum ScreenModes {
    /// Asks the terminal to report its focus.
    static let focusReports = "\u{1B}[?1004h"
    /// The same, also of a terminal that would take it for something else: for text for a printer, a drawing or a
    /// VT52, or for a part of a string that only ST ends.
    static let focusReportsAgain =
        printerOff + "\u{1B}\u{3}\u{1B}\\" + fromVT52 + windowsKeysOff + focusReports
    static let noFocusReports = "\u{1B}[?1004l"
    /// What a guarded run itself wants of the terminal as long as it runs: to be told of its focus. The titles from before
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
    /// Around that are the ways back from where a terminal takes our sequences for something else, or for nothing: from
    /// the printer, ESC ETX from xterm's Tektronix 4014, ESC < from VT52 mode (xterm's control sequences: DECANM), and
    /// DECSASD from the status line. The keyboard sends text again, and no Windows key events.
    ///
    /// The terminals around a multiplexer get all of it, too.
    static func breakOff(around: SurroundingTerminals) -> String { breakOff + around.passOn(breakOff) }

    private static let breakOff =
        fromVT52 + printerOff + "\u{1B}\u{3}\u{18}\u{1B}\\" + fromVT52
        + "\u{1B}[0$}\u{1B}[?2026l" + windowsKeysOff

    private static let fromVT52 = "\u{1B}<"
    /// The printer gets no output and no lines any more (MC). GNU screen knows the second sequence only, and misses it
    /// right behind an ESC; then the first is in between.
    private static let printerOff = "\u{1B}[?4i\u{1B}[4i"
    /// win32-input-mode.
    private static let windowsKeysOff = "\u{1B}[?9001l"

    /// From the program's screen to ours: an empty one, with the mouse, without the cursor, and with a title of ours.
    ///
    /// On the normal screen ours is the alternate one, so that the normal one comes back as it was, cursor and
    /// pen included. There is one alternate screen only: a program on it has to redraw, and the terminal keeps
    /// its cursor and pen.
    ///
    /// - Parameters:
    ///   - modes: what the program had.
    ///   - isUnicode: whether ours is written in UTF-8.
    ///   - around: what the terminal is in.
    ///   - title: of the window meanwhile.
    static func enter(
        from modes: ProgramModes,
        isUnicode: Bool,
        around: SurroundingTerminals,
        titled title: String
    ) -> String {
        breakOff(around: around) + modes.undoKeyboard + (modes.isAlternate ? "\u{1B}7" : "\u{1B}[?1049h")
            + legible(from: modes, isUnicode: isUnicode, title) + clearable(around)
            + "\(emptied)\u{1B}[?25l\(focusReports)\u{1B}[?1000h\u{1B}[?1006h\u{1B}[?2004h"
    }

    /// From our screen back to the program's.
    static func leave(to modes: ProgramModes) -> String {
        "\u{1B}[0m\(coloursBack)\u{1B}[2J\u{1B}[?2004l\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?25h\(modes.redoMargins)"
            + (modes.isAlternate ? "\u{1B}8" : "\u{1B}[?1049l") + showTitles + modes.redo + focusReports
    }

    /// From our screen to none: nothing of what was covered stays to be seen.
    static func close(from modes: ProgramModes) -> String {
        "\u{1B}[0m\(coloursBack)\u{1B}[2J\u{1B}[?2004l\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?25h\u{1B}[?1049l"
            + emptied + showTitles + modes.undoMainKeyboard
    }

    /// From the program's screen to lines of text of ours: what was shown is erased, not put aside.
    static func enterLines(
        from modes: ProgramModes,
        isUnicode: Bool,
        around: SurroundingTerminals,
        titled title: String
    ) -> String {
        breakOff(around: around) + modes.undoKeyboard + legible(from: modes, isUnicode: isUnicode, title)
            + clearable(around)
            + "\u{1B}[?2004l\u{1B}[?25h" + emptied
    }

    /// From lines of ours to the program's, below them.
    static func leaveLines(to modes: ProgramModes) -> String {
        let margins = modes.redoMargins
        // They move the cursor.
        return "\u{1B}[0m\(coloursBack)" + (margins.isEmpty ? "" : "\u{1B}7\(margins)\u{1B}8") + showTitles
            + modes.redo
    }

    /// From lines of ours to none; what was under them is gone already.
    static func closeLines(from modes: ProgramModes) -> String {
        "\u{1B}[0m\(coloursBack)" + showTitles
            + (modes.isAlternate ? "\u{1B}[?1049l" + emptied : "") + modes.undoMainKeyboard
    }

    /// Nothing is to be seen any more, and the cursor is in the first cell.
    ///
    /// Lines first: what is cleared as a whole goes into the scrollback of GNU screen, tmux and others, and an enlarged
    /// window shows it again. Clearing as a whole then takes pictures away. In tmux it also keeps an enlarged window from
    /// showing earlier lines, but only where the screen is not empty; hence the space in the last row.
    private static let emptied = "\u{1B}[H\u{1B}[K\u{1B}[2;1H\u{1B}[J\u{1B}[500;1H \u{1B}[2J\u{1B}[H"

    /// Takes pictures of the kitty protocol away. Clearing does so in the terminal itself; in one around it they stay over
    /// what is drawn.
    private static let withoutPictures = "\u{1B}_Ga=d,q=2\u{1B}\\"

    /// What makes clearing reach all of a terminal around: no margins, no guarded cells, and none of its pictures.
    ///
    /// A multiplexer clears it with the terminal's own sequences, and those begin within the margins. The cursor has to stay
    /// where GNU screen knows it to be, because screen moves it step by step from there. Putting it back also puts the
    /// protection of cells back. A line that is inserted has screen set its own margins, which it believes to be there.
    private static func clearable(_ around: SurroundingTerminals) -> String {
        guard around != .none else { return "" }
        return around.passOn(withoutPictures) + around.passOn("\u{1B}7\(wholeScreen)\u{1B}8\(unguarded)")
            + "\u{1B}[H\u{1B}[L"
    }

    /// All that a screen of ours needs to be read and answered, before it is cleared.
    private static func legible(from modes: ProgramModes, isUnicode: Bool, _ title: String) -> String {
        (modes.hasDrawing ? eraseDrawing : "") + hideTitles(of: modes, behind: title)
            + modes.undo(leavingAlternate: false)
            + plainKeyboard + plainMouse + wholeScreen
            + (isUnicode ? "\u{1B}%G" : "") + plainColours + plainPen
    }

    /// Empties xterm's Tektronix window, which opens where there is none.
    private static let eraseDrawing = "\u{1B}[?\(ProgramModes.tektronix)h\u{1B}\u{C}\u{1B}\u{3}"

    /// Replies in seven bits (S7C1T), no flags of the kitty protocol, plain cursor keys and keypad. The keyboard is not
    /// locked (KAM), the terminal itself shows nothing of what is typed (SRM), and Return sends one character (LNM).
    private static let plainKeyboard =
        "\u{1B} F" + ProgramKeyboard.off + "\u{1B}[?1l\u{1B}[?66l\u{1B}>\u{1B}[2l\u{1B}[12h\u{1B}[20l"

    /// No reports of the mouse but those that our screen asks for afterwards, in cells.
    private static let plainMouse = [9, 1001, 1002, 1003, 1005, 1015, 1016].map { "\u{1B}[?\($0)l" }.joined()

    /// Lets output reach the whole screen. Positions count from the first cell, and writing moves no other text. The page that
    /// is shown is also the page that is written (DECPCCM). The program has no status line (DECSSDT).
    private static let wholeScreen =
        "\u{1B}[?\(ProgramModes.shownPage)h\u{1B}[0$~\u{1B}[?6l\u{1B}[?69l\u{1B}[r\u{1B}[4l\u{1B}[?7h"

    /// The terminal's own colours, the program's put aside where it knows how (XTPUSHCOLORS). The last is the Linux
    /// console's.
    private static let plainColours =
        "\u{1B}[#P" + ["104", "110", "111", "R"].map { "\u{1B}]\($0)\u{1B}\\" }.joined()
    /// Before the screen is cleared.
    private static let coloursBack = "\u{1B}[#Q"

    /// The pen and the character sets as they are at first, and no link under what is drawn.
    ///
    /// What erases a screen spares no guarded cells: DECSCA makes the terminal's protection the one that only a
    /// selective erase heeds.
    private static let plainPen = "\u{1B}]8;;\u{1B}\\\u{1B}(B\u{0F}\u{1B}[0m" + unguarded
    private static let unguarded = "\u{1B}[0\"q"

    /// The program's titles are put aside and replaced by ours. Not every terminal can put them aside: those that were
    /// read along are put back in any case.
    private static func hideTitles(of modes: ProgramModes, behind title: String) -> String {
        ProgramTitles.plainModes + "\u{1B}[22;0t\u{1B}]0;\(title)\u{1B}\\"
            + (modes.titles.name == nil ? "" : "\u{1B}k\(title)\u{1B}\\")
    }

    private static let showTitles = "\u{1B}[23;0t"
}
