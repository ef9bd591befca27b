/// What `guard` says in lines of text beside what its screens say.
enum GuardTexts {
    private static let name = "portcullis guard:"

    /// How to lock, on the way in.
    static func howToLock(_ key: LockKey, isSet: Bool) -> String {
        isSet ? "\(name) \(key.title) locks.\n" : "\(name) no passcode is set; \(key.title) sets one.\n"
    }

    /// What was covered before lines of text on a terminal, what cannot be, and how to answer.
    static func covered(_ face: GuardFace) -> [String] {
        [
            face == .stream
                ? "This terminal cannot be cleared; what it showed was scrolled out of sight."
                : "Cleared; what this terminal keeps to scroll back to is still there.",
            "Type an answer and press Return; it is not shown.",
            "A word in brackets does what stands beside it.",
        ]
    }

    /// The program is there again, in lines of text; it shows that itself where screens are drawn.
    static func uncovered(_ face: GuardFace) -> String {
        switch face {
        case .drawn: ""
        case .lines: "Open again. What was shown before was cleared.\n"
        case .stream: "Open again.\n"
        }
    }

    /// Why the program was ended, on the way out.
    static func lostPasscode(hasStarted: Bool) -> String {
        "logged out: the passcode was removed from elsewhere while this was locked" + outcome(hasStarted)
    }
    static func keptPasscode(hasStarted: Bool) -> String {
        "logged out, but the passcode could not be removed and is still set" + outcome(hasStarted)
    }
    static func loggedOut(hasStarted: Bool) -> String {
        "logged out: the passcode was removed" + outcome(hasStarted)
    }
    static let unanswered = "locked, and nothing is left to answer with: the program was ended"
    static let unansweredAtFirst = "locked, and there is nothing to answer with: the program was not started"

    private static func outcome(_ hasStarted: Bool) -> String {
        hasStarted ? ", and the program was ended" : ", and the program was not started"
    }

    /// What logging out means here, before it is done.
    static func forgot(hasStarted: Bool) -> String {
        (hasStarted ? "This ends the program; unsaved work is lost." : "The program will not be started.")
            + " Your passcode will be removed."
    }

    /// Text for a terminal in raw mode.
    static func onTerminal(_ text: String) -> String { text.replacing("\n", with: "\r\n") }
}
