public import PasscodeLock
internal import PortcullisCore

/// What a guarded run says: on its screens, and in lines of text beside them.
///
/// A host that speaks another language, or of something else than a program, replaces them.
public struct GuardTexts: Sendable {
    /// The texts of the lock screen and of the offer of a passcode.
    ///
    /// What their `forgotDevice` says is replaced by what logging out means for the program: ``loggingOutEnds``
    /// and its kin.
    public var strings: PasscodeStrings
    /// The title of the terminal's window while a screen of the lock covers the program.
    public var windowTitle: String
    /// Says how to lock, on the way in: the key, and whether a passcode is set. Whole lines, each with its end.
    public var howToLock: @Sendable (_ key: LockKey, _ isSet: Bool) -> String

    /// What covering has done to a terminal that keeps lines to scroll back to, before lines of text.
    public var cleared: String
    /// The same of a terminal that cannot be cleared.
    public var scrolledAway: String
    /// How to answer in lines of text, a line each.
    public var howToAnswer: [String]
    /// The program is there again, after lines of text on a terminal that was cleared.
    public var uncovered: String
    /// The same where nothing was cleared.
    public var reopened: String

    /// What logging out does to a program that runs.
    public var loggingOutEnds: String
    /// What logging out does to a program that has not started.
    public var loggingOutStartsNone: String
    /// What logging out does besides: the passcode goes.
    public var loggingOutRemoves: String
    /// What it means for what is sealed.
    public var loggingOutSealed: String

    /// The right passcode opens the lock and not what is sealed.
    public var sealKeepsShut: String
    /// What is sealed was not opened, for this reason.
    public var sealNotOpened: @Sendable (_ reason: String) -> String

    /// Texts in English.
    ///
    /// - Parameters:
    ///   - strings: the texts of the screens.
    ///   - name: what the lock is called: the window's title, and what lines beside the program's begin with.
    public init(strings: PasscodeStrings = .english, name: String = "Lock") {
        self.strings = strings
        windowTitle = name
        howToLock = { key, isSet in
            isSet ? "\(name): \(key.title) locks.\n" : "\(name): no passcode is set; \(key.title) sets one.\n"
        }
        cleared = "Cleared; what this terminal keeps to scroll back to is still there."
        scrolledAway = "This terminal cannot be cleared; what it showed was scrolled out of sight."
        howToAnswer = [
            "Type an answer and press Return; it is not shown.",
            "A word in brackets does what stands beside it.",
        ]
        uncovered = "Open again. What was shown before was cleared."
        reopened = "Open again."
        loggingOutEnds = "This ends the program; unsaved work is lost."
        loggingOutStartsNone = "The program will not be started."
        loggingOutRemoves = "Your passcode will be removed."
        loggingOutSealed = "What is sealed then opens with its recovery passphrase only."
        sealKeepsShut = "This passcode does not open what is sealed."
        sealNotOpened = { "What is sealed was not opened: \($0)." }
    }
}

extension GuardTexts {
    /// The window's title, as no terminal takes it for anything else.
    var shownTitle: String { ForeignText.line(windowTitle) }

    /// What was covered before lines of text on a terminal, what cannot be, and how to answer.
    func covered(_ face: GuardFace) -> [String] { [face == .stream ? scrolledAway : cleared] + howToAnswer }

    /// The program is there again, in lines of text; it shows that itself where screens are drawn.
    func uncovered(_ face: GuardFace) -> String {
        switch face {
        case .drawn: ""
        case .lines: uncovered + "\n"
        case .stream: reopened + "\n"
        }
    }

    /// What logging out means here, before it is done.
    func forgot(hasStarted: Bool, isSealed: Bool) -> String {
        ([hasStarted ? loggingOutEnds : loggingOutStartsNone, loggingOutRemoves]
            + (isSealed ? [loggingOutSealed] : [])).joined(separator: " ")
    }

    /// Text for a terminal in raw mode.
    static func onTerminal(_ text: String) -> String { text.replacing("\n", with: "\r\n") }
}
