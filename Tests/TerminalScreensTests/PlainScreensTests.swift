import LockScreens
import PasscodeLock
import PortcullisCore
import TerminalScreens
import Testing

@Suite("PlainScreens (P-30, P-32)", .timeLimit(.minutes(5)))
struct PlainScreensTests {
    private func sent(_ screens: PlainScreens, _ line: String) -> [String]? {
        var inputs: [String] = []
        let isUnderstood = screens.interpret(SecretBytes(copying: line.utf8)) { input in
            if case .text(let text) = input {
                inputs.append(
                    "text "
                        + text.withBytes { span in
                            (0..<span.count).map { String(UnicodeScalar(span[$0])) }.joined()
                        }
                )
            } else if case .activate(let id) = input {
                inputs.append("activate " + id.rawValue)
            } else if case .choose(let id, let index) = input {
                inputs.append("choose \(id.rawValue) \(index)")
            } else {
                inputs.append("\(input)")
            }
        }
        return isUnderstood ? inputs : nil
    }

    @Test("P-32: a screen is told once, then what changed")
    func changes() {
        var screens = PlainScreens()
        #expect(
            screens.lines(for: SampleScreens.lock()) == [
                "Enter Passcode", "0 of 6 digits entered", "[biometrics] Touch ID",
                "[forgot] Forgot Passcode?",
            ]
        )
        #expect(screens.lines(for: SampleScreens.lock()).isEmpty)
        #expect(screens.lines(for: SampleScreens.lock(filled: 1)) == ["1 of 6 digits entered"])
        let wrong = SampleScreens.lock(message: ScreenMessage(.error, "Incorrect passcode"), shakes: 1)
        #expect(screens.lines(for: wrong) == ["Incorrect passcode", "0 of 6 digits entered"])
        #expect(
            screens.lines(for: SampleScreens.lock(message: wrong.message, shakes: 2)) == [
                "Incorrect passcode"
            ],
            "the same error again is news"
        )
    }

    @Test("P-32: a count-down is told when it starts, not each second")
    func countDown() {
        var screens = PlainScreens()
        _ = screens.lines(for: SampleScreens.lock())
        func counting(_ text: String) -> ScreenContent {
            SampleScreens.lock(message: ScreenMessage(.countDown, text))
        }
        #expect(screens.lines(for: counting("Try again in 1 min")) == ["Try again in 1 min"])
        #expect(screens.lines(for: counting("Try again in 59 s")).isEmpty)
    }

    @Test("P-33: a question is told with its answers, and only they count")
    func alert() {
        var screens = PlainScreens()
        _ = screens.lines(for: SampleScreens.lock(filled: 2))
        #expect(
            screens.lines(for: SampleScreens.forgotten) == [
                "Forgot Passcode?", "You will need to log in again. Your passcode will be removed.",
                "[cancel] Cancel",
                "[logout] Logout",
            ]
        )
        #expect(sent(screens, "123456") == nil)
        #expect(sent(screens, "forgot") == nil)
        #expect(sent(screens, "logout") == ["activate logout"])
        #expect(screens.hint == "Not understood. [cancel] [logout]")
    }

    @Test("P-32: a line of too few digits, or too many, enters none: the next one would be a wrong passcode")
    func wholeEntries() {
        var screens = PlainScreens()
        _ = screens.lines(for: SampleScreens.lock())
        for line in ["1", "12345", "1234567"] { #expect(sent(screens, line) == nil) }
        #expect(screens.hint == "Not understood. 6 digits in one line, or [biometrics] [forgot]")
        #expect(sent(screens, "123456") == (1...6).map { "digit(\($0))" })
    }

    @Test("P-31: digits at once, words with and without a slash")
    func pad() {
        var screens = PlainScreens()
        _ = screens.lines(for: SampleScreens.lock())
        #expect(sent(screens, "123456")?.count == 6)
        #expect(sent(screens, "forgot") == ["activate forgot"])
        #expect(sent(screens, "/forgot") == ["activate forgot"])
        for line in ["", "12a", "forgotten", "１２"] { #expect(sent(screens, line) == nil) }
    }

    @Test("P-30: where any character may be typed, words need the slash")
    func field() {
        var screens = PlainScreens()
        let lines = screens.lines(for: SampleScreens.field(filled: 0))
        #expect(lines.contains("[/forgot] Forgot Passcode?"))
        #expect(lines.last == "Words need a / before them here; an entry that begins with / takes two.")
        #expect(sent(screens, "forgot") == ["text forgot", "submit"])
        #expect(sent(screens, "/forgot") == ["activate forgot"])
        #expect(sent(screens, "//x1") == ["text /x1", "submit"])
        #expect(sent(screens, "/nothing") == nil)
    }

    @Test("P-37: switches and choices")
    func choices() {
        var screens = PlainScreens()
        let lines = screens.lines(for: SampleScreens.settings)
        #expect(lines.contains("[passcode] Passcode: on"))
        #expect(lines.contains("  [timeout 2] After 5 seconds (selected)"))
        #expect(sent(screens, "timeout 3") == ["choose timeout 2"])
        #expect(sent(screens, "timeout 9") == nil)
        #expect(sent(screens, "biometrics") == ["activate biometrics"])
    }
}
