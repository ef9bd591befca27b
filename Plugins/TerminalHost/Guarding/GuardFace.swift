/// How a guarded run shows its screens on its output.
enum GuardFace: Sendable, Hashable {
    /// Screens are drawn on a terminal.
    case drawn
    /// Screens are lines of text, on a terminal that can be cleared. `isTyped` is whether the terminal is the
    /// input, too.
    case lines(isTyped: Bool)
    /// Screens are lines of text without escape sequences: in a pipe, or on a terminal that supports none.
    case stream

    /// Whether the terminal is asked to report its focus. The reports come as input.
    var reportsFocus: Bool { self == .drawn || self == .lines(isTyped: true) }

    /// The escape sequences that a run writes at its beginning.
    var begin: String { self == .drawn ? ScreenModes.began : reportsFocus ? ScreenModes.focusReports : "" }

    /// The sequences that a run writes before the process is stopped.
    ///
    /// - Parameter isCovered: whether a covering screen is shown.
    func pause(isCovered: Bool, _ modes: ProgramModes) -> String {
        switch self {
        case .drawn: end(isCovered: isCovered, modes)
        case .lines:
            (isCovered ? "" : modes.undoAll) + (reportsFocus ? ScreenModes.noFocusReports : "")
        case .stream: ""
        }
    }

    /// The sequences that a run writes after the process was continued. They set again what
    /// ``pause(isCovered:_:)`` has reset.
    ///
    /// - Parameter isCovered: whether a covering screen is shown. If screens are drawn, the caller then shows
    ///   the covering screen anew.
    func resume(isCovered: Bool, _ modes: ProgramModes) -> String {
        let on = modes.isAlternate ? modes.redoMainKeyboard + "\u{1B}[?1049h" : ""
        // Setting margins moves the cursor, so the cursor is saved before and restored afterwards.
        let redo = isCovered ? "" : "\u{1B}7\(modes.redoMargins)\u{1B}8" + modes.redo
        return switch self {
        case .drawn: begin + on + redo
        case .lines: begin + (isCovered ? "" : on + redo)
        case .stream: ""
        }
    }

    /// The sequences that end an unfinished escape sequence of the program. If the program runs in a
    /// multiplexer such as tmux, they also end an unfinished sequence in the terminal around the multiplexer.
    func breakOff(around: SurroundingTerminals) -> String {
        self == .stream ? "" : ScreenModes.breakOff(around: around)
    }

    /// The sequences that replace the program's screen by the first covering screen.
    ///
    /// - Parameters:
    ///   - modes: the program's modes.
    ///   - rows: the number of the terminal's rows.
    ///   - isUnicode: whether the covering screen is written in UTF-8.
    ///   - around: the multiplexers around the program.
    ///   - title: the title of the window while it is covered.
    func enter(
        from modes: ProgramModes,
        rows: Int,
        isUnicode: Bool,
        around: SurroundingTerminals,
        titled title: String
    ) -> String {
        switch self {
        case .drawn:
            ScreenModes.enter(from: modes, isUnicode: isUnicode, around: around, titled: title)
        case .lines:
            ScreenModes.enterLines(from: modes, isUnicode: isUnicode, around: around, titled: title)
                + (reportsFocus ? ScreenModes.focusReports : "")
        // On a terminal, blank lines scroll the program's output out of sight. In a pipe, the number of rows
        // is 0, so nothing is written.
        case .stream: String(repeating: "\r\n", count: rows)
        }
    }

    /// The sequences that replace the covering screen by the program's screen.
    func leave(to modes: ProgramModes) -> String {
        switch self {
        case .drawn: ScreenModes.leave(to: modes)
        case .lines: ScreenModes.leaveLines(to: modes) + (reportsFocus ? ScreenModes.focusReports : "")
        case .stream: ""
        }
    }

    /// The sequences at the end of a run, which restore the terminal's state from before the run.
    ///
    /// - Parameter isCovered: whether a covering screen is shown. If so, the covered content is erased.
    func end(isCovered: Bool, _ modes: ProgramModes) -> String {
        switch self {
        case .drawn: (isCovered ? ScreenModes.close(from: modes) : modes.undoAll) + ScreenModes.ended
        case .lines:
            (isCovered ? ScreenModes.closeLines(from: modes) : modes.undoAll)
                + (reportsFocus ? ScreenModes.noFocusReports : "")
        case .stream: ""
        }
    }
}
