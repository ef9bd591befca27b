import GoalLock
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

    @Test("A-21: a switch, what was chosen, and what can be read are told in words")
    func goalSettings() {
        var screens = PlainScreens()
        let stage = SampleGoals.settings(80, 24, SampleGoals.status(isOn: true, apps: ["Chat"]))
        let lines = screens.lines(for: stage.screen.content)
        #expect(
            lines.prefix(4) == [
                "App Lock", "[enable] Enable App Lock: on", "[select] Select Apps", "  - Chat",
            ]
        )
        #expect(lines.last?.hasSuffix("Shields reset at midnight.") == true)
        #expect(sent(screens, "select") == ["activate select"])
        var off = PlainScreens()
        #expect(
            off.lines(for: SampleGoals.settings().screen.content).suffix(2) == [
                "- Walk to Unlock", "- Resets Daily",
            ]
        )
    }

    @Test("A-23: a list is told whole once, then what changed; a line after ? narrows it")
    func picker() {
        var screens = PlainScreens()
        var stage = SampleGoals.picker()
        let lines = screens.lines(for: stage.screen.content)
        #expect(lines.prefix(4) == ["Select Apps", "[?] Search: ", "0 chosen", "[category:game] Games"])
        #expect(sent(screens, "app:Chess.desktop") == ["activate app:Chess.desktop"])
        #expect(sent(screens, "?vid") == ["search(\"vid\")"])
        stage.press(.character(" "))
        #expect(
            screens.lines(for: stage.screen.content)
                == ["[?] Search: ", "1 chosen", "[category:game] Games (selected)"]
        )
        stage.type("nothing like it")
        #expect(screens.lines(for: stage.screen.content).last == "Nothing found")
    }

    @Test("A-22: the card in front and its place are told; a number shows another")
    func cards() {
        var screens = PlainScreens()
        var stage = SampleGoals.paywall()
        let text = "Block distracting apps until you reach your daily goal."
        #expect(screens.lines(for: stage.screen.content).prefix(3) == ["App Lock", text, "Card 1 of 8"])
        #expect(sent(screens, "4") == ["show(3)"])
        #expect(sent(screens, "9") == nil && sent(screens, "0") == nil)
        stage.press(.key(.right))
        #expect(screens.lines(for: stage.screen.content).prefix(3).last == "Card 2 of 8")
    }

    @Test("H-7: what a reader asks for is told once, beside what went wrong")
    func hint() {
        var screens = PlainScreens()
        var content = SampleScreens.lock()
        _ = screens.lines(for: content)
        content.hint = ScreenHint(symbol: "touchid", text: "Touch the reader")
        #expect(screens.lines(for: content) == ["Touch the reader"])
        #expect(screens.lines(for: content).isEmpty)
        content.message = ScreenMessage(.error, "Incorrect passcode")
        content.shakes = 1
        #expect(screens.lines(for: content) == ["Incorrect passcode"])
        content.hint = nil
        #expect(screens.lines(for: content).isEmpty)
    }
}
