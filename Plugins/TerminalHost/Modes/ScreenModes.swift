/// The sequences that switch between a program's screen and a screen that covers it.
///
/// The covering screen sets all modes that it needs, even those that the program does not seem to have
/// changed. Terminals read the program's output in different ways, so the tracked modes may be wrong. The
/// tracked modes mainly serve to restore the program's state. A terminal may show the text of a sequence that
/// it does not support. So the sequences that set modes are written before the screen is cleared.
enum ScreenModes {
    /// Asks the terminal to report its focus.
    static let focusReports = "\u{1B}[?1004h"
    /// Asks the terminal again to report its focus. The request also reaches a terminal that sends output to
    /// a printer, is in Tektronix or VT52 mode, or reads a string that only ST ends.
    static let focusReportsAgain =
        printerOff + "\u{1B}\u{3}\u{1B}\\" + fromVT52 + windowsKeysOff + focusReports
    static let noFocusReports = "\u{1B}[?1004l"
    /// The sequences at the start of a stage, or of a run that draws its screens. They save the window's
    /// titles and ask for focus reports for the whole run.
    static let began = saveTitles + focusReports
    static let ended = noFocusReports + showTitles

    /// Ends every unfinished sequence of earlier output, in every terminal.
    ///
    /// CAN breaks a sequence off, also directly after ESC. Inside a DCS of tmux, and in every string of GNU
    /// screen, CAN and BEL are text, and only ST ends the string. Outside of a string, ST has no effect.
    /// Terminals differ in what they read as a string, so CAN and ST are sent in every state of the output.
    /// A synchronised update is ended too, so that the terminal shows it.
    ///
    /// Further sequences end states in which a terminal would not carry out later sequences: printing (MC),
    /// xterm's Tektronix 4014 mode (ended by ESC ETX), VT52 mode (ended by ESC <), and output to the status
    /// line (DECSASD). The keyboard is switched back from Windows key events to text.
    ///
    /// The terminals around a multiplexer get the same sequences.
    static func breakOff(around: SurroundingTerminals) -> String { breakOff + around.passOn(breakOff) }

    private static let breakOff =
        fromVT52 + printerOff + "\u{1B}\u{3}\u{18}\u{1B}\\" + fromVT52
        + "\u{1B}[0$}\u{1B}[?2026l" + windowsKeysOff

    private static let fromVT52 = "\u{1B}<"
    /// Switches printing off (MC), by two sequences. GNU screen supports only the second one, and misses it
    /// directly after an ESC. Earlier output may end with an ESC, so the first sequence comes in between.
    private static let printerOff = "\u{1B}[?4i\u{1B}[4i"
    /// Switches win32-input-mode off.
    private static let windowsKeysOff = "\u{1B}[?9001l"

    /// Replaces the program's screen by an empty covering screen with mouse reports, without a cursor, and
    /// with another title.
    ///
    /// If the program is on the normal screen, the covering screen is the alternate one. The normal screen,
    /// its cursor and its pen (the style of later text) are later restored unchanged. A program on the
    /// alternate screen has to redraw, because a terminal has only one alternate screen. For such a program
    /// the terminal saves only the cursor and the pen.
    ///
    /// - Parameters:
    ///   - modes: the program's modes.
    ///   - isUnicode: whether the covering screen is written in UTF-8.
    ///   - around: the multiplexers around the program.
    ///   - title: the title of the window while it is covered.
    static func enter(
        from modes: ProgramModes,
        isUnicode: Bool,
        around: SurroundingTerminals,
        titled title: String
    ) -> String {
        breakOff(around: around) + modes.undoKeyboard + (modes.isAlternate ? "\u{1B}7" : "\u{1B}[?1049h")
            + legible(from: modes, isUnicode: isUnicode, around, title) + clearable(around)
            + emptied + lateTitles(of: modes, around, title) + covering
    }

    /// Hides the cursor, and asks for reports of the focus, of clicks and of pastes.
    static let covering = "\u{1B}[?25l\(focusReports)\u{1B}[?1000h\u{1B}[?1006h\u{1B}[?2004h"

    /// Replaces the covering screen by the program's screen.
    static func leave(to modes: ProgramModes) -> String {
        "\u{1B}[0m\(coloursBack)\u{1B}[2J\u{1B}[?2004l\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?25h\(modes.redoMargins)"
            + (modes.isAlternate ? "\u{1B}8" : "\u{1B}[?1049l") + showTitles + modes.redo + focusReports
    }

    /// Removes the covering screen at the end of a run. Nothing of the covered content stays visible.
    static func close(from modes: ProgramModes) -> String {
        "\u{1B}[0m\(coloursBack)\u{1B}[2J\u{1B}[?2004l\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?25h\u{1B}[?1049l"
            + emptied + dropTitles(of: modes) + modes.undoMainKeyboard
    }

    /// Drops saved titles from the terminal's stack: the title that the covering screen has saved, and the
    /// titles that the program has saved and not restored. The last title on the stack is then the title from
    /// before the run.
    ///
    /// If the program has saved more than ``mostTitles`` titles, none is dropped, and the window's title
    /// becomes empty.
    private static func dropTitles(of modes: ProgramModes) -> String {
        modes.titles.depth <= mostTitles
            ? String(repeating: showTitles, count: modes.titles.depth + 1) : noTitle + saveTitles
    }

    /// Replaces the program's screen by lines of text. The program's output is erased and not saved.
    static func enterLines(
        from modes: ProgramModes,
        isUnicode: Bool,
        around: SurroundingTerminals,
        titled title: String
    ) -> String {
        breakOff(around: around) + modes.undoKeyboard
            + legible(from: modes, isUnicode: isUnicode, around, title) + clearable(around)
            + "\u{1B}[?2004l\u{1B}[?25h" + emptied + lateTitles(of: modes, around, title)
    }

    /// Returns from lines of text to the program. The program's output continues below these lines.
    static func leaveLines(to modes: ProgramModes) -> String {
        let margins = modes.redoMargins
        // Setting margins moves the cursor, so the cursor is saved before and restored afterwards.
        return "\u{1B}[0m\(coloursBack)" + (margins.isEmpty ? "" : "\u{1B}7\(margins)\u{1B}8") + showTitles
            + modes.redo
    }

    /// Ends the display of lines of text at the end of a run. The program's screen was erased before the
    /// lines were written. If that screen was the alternate one, the normal screen is erased here.
    static func closeLines(from modes: ProgramModes) -> String {
        // The titles from before the run are saved only at the start of a run with `GuardFace.drawn`. This
        // run shows lines, so the window's title becomes empty.
        "\u{1B}[0m\(coloursBack)" + showTitles + noTitle
            + (modes.isAlternate ? "\u{1B}[?1049l" + emptied : "") + modes.undoMainKeyboard
    }

    /// Erases everything that is visible, and puts the cursor in the first cell.
    ///
    /// The lines are erased first, because GNU screen, tmux and others move a screen that is cleared as a
    /// whole into the scrollback. An enlarged window would show that screen again.
    ///
    /// Then a space is written in the last row, and the screen is cleared as a whole. Clearing removes
    /// pictures. In tmux, clearing a screen that is not empty also keeps an enlarged window from showing
    /// earlier lines.
    static let emptied = "\u{1B}[H\u{1B}[K\u{1B}[2;1H\u{1B}[J\u{1B}[500;1H \u{1B}[2J\u{1B}[H"

    /// Removes pictures of the kitty protocol. Clearing the screen removes pictures only in the innermost
    /// terminal. In the terminal around a multiplexer, they would stay over the output.
    private static let withoutPictures = "\u{1B}_Ga=d,q=2\u{1B}\\"

    /// Prepares the surrounding terminals for clearing: no margins, no protected cells, and no pictures.
    ///
    /// A multiplexer clears the surrounding terminal with that terminal's own sequences, which respect its
    /// margins. So the margins are removed. GNU screen moves the cursor relative to its last place, so the
    /// cursor is saved and restored. Restoring the cursor also restores the protection of cells, so the
    /// protection is ended afterwards. At the end a line is inserted in the multiplexer. The insertion makes
    /// GNU screen set the surrounding terminal's margins again, as GNU screen has recorded them.
    private static func clearable(_ around: SurroundingTerminals) -> String {
        guard around != .none else { return "" }
        return around.passOn(withoutPictures) + around.passOn("\u{1B}7\(wholeScreen)\u{1B}8\(unguarded)")
            + "\u{1B}[H\u{1B}[L"
    }

    /// Sets all modes that a covering screen needs to be readable and to receive plain key and mouse input.
    /// The sequences are written before the screen is cleared.
    private static func legible(
        from modes: ProgramModes,
        isUnicode: Bool,
        _ around: SurroundingTerminals,
        _ title: String
    ) -> String {
        (modes.hasDrawing ? eraseDrawing : "")
            + (around.hasScreen ? "" : hideTitles(of: modes, behind: title))
            + modes.undo(leavingAlternate: false)
            + plainKeyboard + plainMouse + wholeScreen
            + (isUnicode ? "\u{1B}%G" : "") + plainColours + plainPen
    }

    /// Empties xterm's Tektronix window, and opens that window if there is none.
    private static let eraseDrawing = "\u{1B}[?\(ProgramModes.tektronix)h\u{1B}\u{C}\u{1B}\u{3}"

    /// Switches the keyboard to seven-bit replies (S7C1T), to no flags of the kitty protocol, and to plain
    /// cursor keys and keypad. The keyboard is unlocked (KAM), the terminal does not echo (SRM), and Return
    /// sends one character (LNM).
    private static let plainKeyboard =
        "\u{1B} F" + ProgramKeyboard.off + "\u{1B}[?1l\u{1B}[?66l\u{1B}>\u{1B}[2l\u{1B}[12h\u{1B}[20l"

    /// Switches off the mouse modes that a drawn covering screen does not use. This screen afterwards
    /// switches on the modes 1000 and 1006, whose reports count positions in cells.
    private static let plainMouse = [9, 1001, 1002, 1003, 1005, 1015, 1016].map { "\u{1B}[?\($0)l" }.joined()

    /// Lets output reach the whole screen. Positions count from the first cell, and writing moves no other
    /// text. The shown page is also the written one (DECPCCM). The program's status line is off (DECSSDT).
    private static let wholeScreen =
        "\u{1B}[?\(ProgramModes.shownPage)h\u{1B}[0$~\u{1B}[?6l\u{1B}[?69l\u{1B}[r\u{1B}[4l\u{1B}[?7h"

    /// Saves the program's colours if the terminal supports saving (XTPUSHCOLORS), and sets the terminal's
    /// own colours. The last sequence is for the Linux console.
    private static let plainColours =
        "\u{1B}[#P" + ["104", "110", "111", "R"].map { "\u{1B}]\($0)\u{1B}\\" }.joined()
    /// Restores the saved colours. The sequence is written before the screen is cleared.
    private static let coloursBack = "\u{1B}[#Q"

    /// Resets the pen and the character sets, and ends an open hyperlink, so that later output is not part
    /// of the hyperlink.
    ///
    /// The last sequence, DECSCA 0, ends the protection of cells, so that the erase that follows clears all
    /// cells. If the last protecting sequence was a DECSCA, a terminal protects cells only from a selective
    /// erase. If it was an SPA, the terminal protects them from every erase.
    private static let plainPen = "\u{1B}]8;;\u{1B}\\\u{1B}(B\u{0F}\u{1B}[0m" + unguarded
    private static let unguarded = "\u{1B}[0\"q"

    /// Saves the program's titles and replaces them. Not every terminal can save titles. So when the covering
    /// screen is removed, the tracked titles are always set again.
    private static func hideTitles(of modes: ProgramModes, behind title: String) -> String {
        ProgramTitles.plainModes + "\(saveTitles)\u{1B}]0;\(title)\u{1B}\\"
            + (modes.titles.name == nil ? "" : "\u{1B}k\(title)\u{1B}\\")
    }

    /// The titles for GNU screen, which are written after the screen is cleared. With `hardstatus message`,
    /// GNU screen shows each title as a message, and draws nothing while it shows the message.
    private static func lateTitles(
        of modes: ProgramModes,
        _ around: SurroundingTerminals,
        _ title: String
    ) -> String {
        around.hasScreen ? hideTitles(of: modes, behind: title) : ""
    }

    private static let saveTitles = "\u{1B}[22;0t"
    private static let showTitles = "\u{1B}[23;0t"
    private static let noTitle = "\u{1B}]0;\u{1B}\\"
    /// The largest number of a program's titles that are dropped at the end of a run.
    private static let mostTitles = 64
}
