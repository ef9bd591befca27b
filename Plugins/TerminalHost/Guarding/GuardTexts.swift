public import PasscodeLock
internal import PortcullisCore

/// The texts of a guarded run: the texts of its screens, and further lines that the run writes to the
/// terminal.
///
/// A host can replace the texts, for example by texts in another language.
public struct GuardTexts: Sendable {
    /// The texts of the lock screen, and of the screen that offers to set a passcode.
    ///
    /// The run replaces the text `forgotDevice` by the consequences of logging out: ``loggingOutEnds`` and
    /// the other texts about logging out.
    public var strings: PasscodeStrings
    /// The title of the terminal's window while a screen of the lock covers the program.
    public var windowTitle: String
    /// Returns the hint at the start of a run. It names the lock key, and says whether a passcode is set.
    /// Each line includes its line end.
    public var howToLock: @Sendable (_ key: LockKey, _ isSet: Bool) -> String
    /// Returns the hint at the start of a run whose input is a pipe, when no passcode is set. It says how to
    /// set one. The hint includes its line end.
    public var howToSetInPipe: @Sendable (_ key: LockKey) -> String

    /// The first message when screens are lines of text and the terminal was cleared. The message says that
    /// the scrollback was not cleared.
    public var cleared: String
    /// The first message when screens are lines of text and the terminal cannot be cleared.
    public var scrolledAway: String
    /// The explanation of how to answer when screens are lines of text and the answers are typed on the
    /// terminal. Each element is one line.
    public var howToAnswer: [String]
    /// Returns the explanation of how to answer when screens are lines of text and the input is a pipe. The
    /// explanation is one line.
    public var howToAnswerInPipe: @Sendable (_ key: LockKey) -> String
    /// The message that the program is visible again, for a terminal that was cleared.
    public var uncovered: String
    /// The message that the program is visible again, for a terminal that was not cleared.
    public var reopened: String

    /// The consequence of logging out for a running program.
    public var loggingOutEnds: String
    /// The consequence of logging out for a program that has not started.
    public var loggingOutStartsNone: String
    /// The further consequence of logging out: the passcode is removed.
    public var loggingOutRemoves: String
    /// The consequence of logging out for sealed content.
    public var loggingOutSealed: String

    /// The message for a passcode that opens the lock but not the sealed content.
    public var sealKeepsShut: String
    /// Returns the message with the reason why the sealed content was not opened.
    public var sealNotOpened: @Sendable (_ reason: String) -> String

    /// Creates the texts in English.
    ///
    /// - Parameters:
    ///   - strings: the texts of the screens.
    ///   - name: the name of the lock. It is the window's title, and it begins the lines that the run writes
    ///     beside the program's output.
    public init(strings: PasscodeStrings = .english, name: String = "Lock") {
        self.strings = strings
        windowTitle = name
        howToLock = { key, isSet in
            isSet ? "\(name): \(key.title) locks.\n" : "\(name): no passcode is set; \(key.title) sets one.\n"
        }
        howToSetInPipe = { "\(name): no passcode is set; \($0.title) in the piped input sets one.\n" }
        cleared = "Cleared; what this terminal keeps to scroll back to is still there."
        scrolledAway = "This terminal cannot be cleared; what it showed was scrolled out of sight."
        howToAnswer = [
            "Type an answer and press Return; it is not shown.",
            "A word in brackets does what stands beside it.",
        ]
        howToAnswerInPipe = { "Lines after \($0.title) in the piped input are answers." }
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
    /// The window's title without control characters.
    var shownTitle: String { ForeignText.line(windowTitle) }

    /// The first lines on a terminal when screens are lines of text. They say whether the terminal was
    /// cleared, and how to answer: on the terminal if `isTyped` is `true`, and otherwise in a pipe.
    func covered(_ face: GuardFace, isTyped: Bool, _ key: LockKey) -> [String] {
        [face == .stream ? scrolledAway : cleared] + (isTyped ? howToAnswer : [howToAnswerInPipe(key)])
    }

    /// The message that says that the program is shown again; empty if screens are drawn.
    func uncovered(_ face: GuardFace) -> String {
        switch face {
        case .drawn: ""
        case .lines: uncovered + "\n"
        case .stream: reopened + "\n"
        }
    }

    /// The consequences of logging out. The person reads them in the question that asks for a confirmation.
    func forgot(hasStarted: Bool, isSealed: Bool) -> String {
        ([hasStarted ? loggingOutEnds : loggingOutStartsNone, loggingOutRemoves]
            + (isSealed ? [loggingOutSealed] : [])).joined(separator: " ")
    }

    /// The text with line ends for a terminal in raw mode.
    static func onTerminal(_ text: String) -> String { text.replacing("\n", with: "\r\n") }
}
