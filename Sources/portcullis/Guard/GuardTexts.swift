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

    /// The program is there again.
    static let uncovered = "Open again. What was shown before was cleared.\n"

    /// Why the program was ended, on the way out.
    static let lostPasscode = "logged out: the passcode was removed from elsewhere while this was locked"
    static let loggedOut = "logged out: the passcode was removed, and the program was ended"
    static let unanswered = "locked, and nothing is left to answer with: the program was ended"

    /// Text for a terminal in raw mode.
    static func onTerminal(_ text: String) -> String { text.replacing("\n", with: "\r\n") }
}
