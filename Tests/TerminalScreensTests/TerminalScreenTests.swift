import LockScreens
import PasscodeLock
import TerminalScreens
import Testing

@Suite("TerminalScreen (P-31, P-32)", .timeLimit(.minutes(5)))
struct TerminalScreenTests {
    private func screen(_ content: ScreenContent, _ columns: Int = 80, _ rows: Int = 24) -> TerminalScreen {
        TerminalScreen(content, size: TerminalSize(columns: columns, rows: rows))
    }

    private func sent(_ screen: inout TerminalScreen, _ events: [TerminalEvent]) -> [String] {
        var inputs: [String] = []
        for event in events { screen.handle(event) { inputs.append("\($0)") } }
        return inputs
    }

    @Test(
        "P-30: each key of the pad can be clicked, anywhere on it, at each layout",
        arguments: [(40, 12), (60, 18), (80, 24)]
    )
    func clicks(columns: Int, rows: Int) {
        var screen = screen(SampleScreens.lock(), columns, rows)
        let targets = screen.painting().targets
        #expect(targets.count == 13)
        for (area, target) in targets {
            for (x, y) in [(area.x, area.y), (area.x + area.width - 1, area.y + area.height - 1)] {
                let inputs = sent(&screen, [.press(button: 0, x: x, y: y)])
                switch target {
                case .digit(let digit): #expect(inputs == ["digit(\(digit))"])
                case .delete: #expect(inputs == ["delete"])
                case .control, .option: #expect(inputs.count == 1 && inputs[0].hasPrefix("activate"))
                }
            }
        }
        #expect(
            sent(
                &screen,
                [
                    .press(button: 0, x: 0, y: 0),
                    .press(button: 2, x: targets[0].area.x, y: targets[0].area.y),
                ]
            ).isEmpty
        )
    }

    @Test("P-31: digits, delete, Return and Ctrl-U go to the entry; letters and pastes do not")
    func entry() {
        var screen = screen(SampleScreens.lock(filled: 2))
        #expect(
            sent(&screen, [.character("7"), .character("x"), .pasted("5"), .key(.delete), .key(.enter)])
                == ["digit(7)", "delete", "submit"]
        )
        #expect(sent(&screen, [.control("u")]) == ["delete", "delete"])
    }

    @Test("P-30: a field takes every character, pasted ones too")
    func field() {
        var screen = screen(SampleScreens.field(filled: 0))
        let inputs = sent(&screen, [.character("a"), .character("7"), .pasted("!"), .key(.enter)])
        #expect(inputs.count == 4 && inputs[3] == "submit" && inputs.allSatisfy { !$0.hasPrefix("digit") })
    }

    @Test("P-32: the focus goes from the entry round the controls and back")
    func focus() {
        var screen = screen(SampleScreens.lock())
        #expect(screen.focus == nil)
        _ = sent(&screen, [.key(.tab)])
        #expect(screen.focus == .control(.biometrics))
        _ = sent(&screen, [.key(.right)])
        #expect(screen.focus == .control(.forgot))
        #expect(sent(&screen, [.key(.enter)]).first?.contains("forgot") == true)
        _ = sent(&screen, [.key(.tab)])
        #expect(screen.focus == nil)
        _ = sent(&screen, [.key(.backTab), .character("1")])
        #expect(screen.focus == nil, "typing goes back to the entry")
    }

    @Test(
        "P-33: a question begins on its harmless answer; Esc is Cancel; digits do nothing; behind it nothing can be clicked"
    )
    func alert() {
        var screen = screen(SampleScreens.lock(filled: 2))
        screen.show(SampleScreens.forgotten)
        #expect(screen.focus == .control(.cancel))
        #expect(sent(&screen, [.character("1"), .key(.delete)]).isEmpty)
        #expect(sent(&screen, [.key(.escape)]).first?.contains("cancel") == true)
        _ = sent(&screen, [.key(.tab)])
        #expect(screen.focus == .control(.logOut))
        #expect(screen.painting().targets.map(\.target) == [.control(.cancel), .control(.logOut)])
        screen.show(SampleScreens.lock(filled: 2))
        #expect(screen.focus == nil)
    }

    @Test("P-37: options of a choice are chosen one by one; a long list scrolls with the focus")
    func choices() {
        var screen = screen(SampleScreens.settings, 40, 12)
        #expect(screen.focus == .control(.passcode))
        _ = sent(&screen, [.key(.down), .key(.down), .key(.down)])
        #expect(screen.focus == .option(.timeout, 1))
        #expect(sent(&screen, [.key(.enter)]).first?.hasPrefix("choose") == true)
        var long = SampleScreens.settings
        long.controls += (0..<20).map { ScreenControl(ControlID("extra\($0)"), title: "Extra \($0)") }
        screen.show(long)
        _ = sent(&screen, [.key(.up), .key(.up), .key(.up), .key(.up)])
        #expect(screen.painting().canvas.lines.contains { $0.contains("Extra 19") })
    }

    @Test("P-30: a shake is reported once per error, not when another screen comes")
    func shakes() {
        var screen = screen(SampleScreens.lock())
        let first = screen.show(SampleScreens.lock(shakes: 1))
        let same = screen.show(SampleScreens.lock(filled: 1, shakes: 1))
        var setUp = SampleScreens.setUp
        setUp.shakes = 5
        let other = screen.show(setUp)
        #expect(first && !same && !other)
    }

    @Test(
        "H-7: what a reader asks for stands under the entry until something goes wrong",
        arguments: [(80, 24), (24, 10), (20, 4)]
    )
    func hint(columns: Int, rows: Int) {
        var content = SampleScreens.lock()
        content.hint = ScreenHint(symbol: "touchid", text: "Touch the reader")
        var screen = TerminalScreen(content, size: TerminalSize(columns: columns, rows: rows))
        func text() -> String { screen.painting().canvas.lines.joined(separator: " ") }
        #expect(text().contains("Touch the reader"))
        content.message = ScreenMessage(.error, "Wrong")
        screen.show(content)
        #expect(text().contains("Wrong") && !text().contains("Touch the reader"))
    }

    @Test("H-7: while a delay is served, it and what the reader asks for are both told")
    func hintDuringDelay() {
        var content = SampleScreens.lock(message: ScreenMessage(.countDown, "Try again in 5 s"))
        content.hint = ScreenHint(symbol: "touchid", text: "Touch the reader")
        let screen = TerminalScreen(content, size: TerminalSize(columns: 80, rows: 24))
        #expect(screen.painting().canvas.lines.contains { $0.contains("Try again in 5 s. Touch the reader") })
    }

    @Test("P-30: a screen with an entry keeps its entry and its keys whatever else it shows")
    func entryAndText() {
        var content = SampleScreens.lock(filled: 2)
        content.texts = [.note("Note")]
        var screen = TerminalScreen(content, size: TerminalSize(columns: 80, rows: 24))
        #expect(screen.painting().canvas.lines.contains { $0.contains("●") })
        var digits = 0
        screen.handle(.character("7")) { if case .digit(7) = $0 { digits += 1 } }
        #expect(digits == 1)
    }

    @Test("P-30: in a question that takes another's place Return loses nothing either")
    func secondQuestion() {
        var content = ScreenContent(title: "T", symbol: "", texts: [.note("n")])
        let lose = ScreenControl(.logOut, title: "Lose", role: .destructive)
        content.alert = ScreenAlert(title: "First", text: "", actions: [lose])
        var screen = TerminalScreen(content, size: TerminalSize(columns: 80, rows: 24))
        #expect(screen.focus == .control(.logOut))
        let cancel = ScreenControl(.cancel, title: "Cancel", role: .cancel)
        content.alert = ScreenAlert(title: "Second", text: "", actions: [lose, cancel])
        screen.show(content)
        #expect(screen.focus == .control(.cancel))
    }

    @Test("A-21: a list tells the lock key where there is room for it")
    func lockKeyOnList() {
        let content = ScreenContent(
            title: "T",
            symbol: "",
            controls: [ScreenControl(.ok, title: "OK"), ScreenControl(.cancel, title: "No")],
            texts: [.note("n")]
        )
        func hint(_ columns: Int) -> String {
            let size = TerminalSize(columns: columns, rows: 24)
            let screen = TerminalScreen(content, size: size, keyHints: KeyHints(lockKey: "ctrl-]"))
            return screen.painting().canvas.lines.joined()
        }
        #expect(hint(80).contains("ctrl-] locks") && !hint(40).contains("ctrl-]"))
    }
}
