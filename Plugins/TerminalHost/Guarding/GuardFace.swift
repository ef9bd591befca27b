/// How the screens of a guarded run are shown where its output goes.
enum GuardFace: Sendable, Hashable {
    /// Drawn on a terminal.
    case drawn
    /// In lines of text, on a terminal that can be cleared.
    case lines
    /// In lines of text, where nothing else can be relied on: into a pipe, on a terminal that knows no sequences.
    case stream

    /// At the beginning.
    var begin: String { self == .drawn ? ScreenModes.began : "" }

    /// Ends what the program's output may have begun, also in the terminals around.
    func breakOff(around: SurroundingTerminals) -> String {
        self == .stream ? "" : ScreenModes.breakOff(around: around)
    }

    /// From the program's screen to the first of ours.
    ///
    /// - Parameters:
    ///   - modes: what the program had.
    ///   - rows: of the terminal.
    ///   - isUnicode: whether what is shown is written in UTF-8.
    ///   - around: what the terminal is in.
    ///   - title: of the window meanwhile.
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
        // Out of sight at least, as far as it is a terminal.
        case .stream: String(repeating: "\r\n", count: rows)
        }
    }

    /// From our screen back to the program's.
    func leave(to modes: ProgramModes) -> String {
        switch self {
        case .drawn: ScreenModes.leave(to: modes)
        case .lines: ScreenModes.leaveLines(to: modes)
        case .stream: ""
        }
    }

    /// At the end: the terminal as it was at first.
    ///
    /// - Parameter isCovered: whether a screen of ours is shown; then what lies under it is erased.
    func end(isCovered: Bool, _ modes: ProgramModes) -> String {
        switch self {
        case .drawn: (isCovered ? ScreenModes.close(from: modes) : modes.undoAll) + ScreenModes.ended
        case .lines: isCovered ? ScreenModes.closeLines(from: modes) : ""
        case .stream: ""
        }
    }
}
