import GoalLock
import LockScreens
import PasscodeLock
import PortcullisCore
import TerminalScreens
import Testing

@Suite("Screens on small terminals (P-30, P-33, P-37)")
struct SmallTerminalTests {
    static let sizes = [(80, 24), (60, 20), (40, 15), (40, 12), (30, 14), (24, 10)]
    /// What no size makes smaller: a screen says that it has no room.
    static let tooSmall = [(23, 10), (24, 9), (80, 9), (20, 24), (10, 3), (12, 1), (1, 1)]

    private static let long = """
        The chip that keeps the key does not answer. Start the machine again, or give the recovery passphrase that \
        was written down when the passcode was set. Nothing was counted.
        """

    /// The screens of the samples, and those with more to say than has room.
    static var screens: [ScreenContent] {
        var account = SampleScreens.forgotten
        account.alert?.text =
            "We can send a reset code to your email, or you can logout and sign in again."
        account.alert?.actions.insert(ScreenControl(.sendReset, title: "Send Reset Email"), at: 1)
        var reset = SampleScreens.setUp
        reset.title = "Reset Passcode"
        reset.prompt = "Enter reset code from email"
        reset.message = ScreenMessage(.error, "Passcodes don't match. Try again.")
        reset.controls = [
            ScreenControl(.resend, title: "Resend code"),
            ScreenControl(.cancel, title: "Cancel", role: .cancel),
        ]
        let failed = SampleScreens.lock(filled: 1, message: ScreenMessage(.error, long))
        var field = SampleScreens.field(filled: 9)
        field.message = ScreenMessage(.error, long)
        var settings = SampleScreens.settings
        settings.message = ScreenMessage(.error, long)
        settings.controls.append(ScreenControl(.ok, title: "Done"))
        var twelve = SampleScreens.lock()
        twelve.entry = EntryContent(style: .dots(count: 12), filled: 3, accessibilityValue: "3 of 12")
        return SampleScreens.all + [account, reset, failed, field, settings, twelve]
    }

    /// Everything that a person sees who goes through a screen with the arrow keys.
    private func walk(_ screen: inout TerminalScreen) -> (
        text: String, focused: [ScreenTarget], sent: [String]
    ) {
        var text = ""
        var focused: [ScreenTarget] = []
        var sent: [String] = []
        for _ in 0..<60 {
            let canvas = screen.painting().canvas
            text += canvas.lines.joined(separator: " ") + " "
            if let focus = screen.focus, !focused.contains(focus) {
                focused.append(focus)
                let isLit = (0..<canvas.size.rows).contains { y in
                    (0..<canvas.size.columns).contains { canvas[x: $0, y: y].style.isReversed }
                }
                if isLit {
                    var copy = screen
                    copy.handle(.key(.enter)) { sent.append("\(focus) \($0)") }
                }
            }
            screen.handle(.key(.down)) { sent.append("\($0)") }
        }
        return (text, focused, sent)
    }

    private func words(_ content: ScreenContent) -> [String] {
        let controls = content.alert?.actions ?? content.controls
        var texts =
            content.alert.map { [$0.title, $0.text] }
            ?? [content.title, content.prompt, content.message?.text ?? ""]
        for control in controls {
            texts.append(control.title)
            if case .choice(let options, _) = control.kind { texts += options }
        }
        return texts.flatMap { $0.split(separator: " ").map(String.init) }
    }

    @Test("P-30: at every size down to 24×10 no word is lost and every control is reached", arguments: sizes)
    func everything(columns: Int, rows: Int) {
        for content in Self.screens {
            for unicode in [true, false] {
                var screen = TerminalScreen(
                    content,
                    size: TerminalSize(columns: columns, rows: rows),
                    abilities: TerminalAbilities(unicode: unicode),
                    keyHints: KeyHints(lockKey: "ctrl-]")
                )
                let (text, focused, sent) = walk(&screen)
                for word in words(content) {
                    #expect(text.contains(word), "\(columns)×\(rows) \(content.title): \(word)\n\(text)")
                }
                for control in content.alert?.actions ?? content.controls {
                    if case .choice(let options, _) = control.kind {
                        for index in options.indices {
                            #expect(focused.contains(.option(control.id, index)))
                            #expect(sent.contains { $0.contains("choose") && $0.contains(", \(index))") })
                        }
                    } else {
                        #expect(focused.contains(.control(control.id)), "\(control.id)")
                        #expect(
                            sent.contains {
                                $0.contains("activate") && $0.contains("\"\(control.id.rawValue)\"")
                            }
                        )
                    }
                }
            }
        }
    }

    @Test(
        "P-30: at every size down to 24×10 what is typed is seen, also after the text was scrolled",
        arguments: sizes
    )
    func typing(columns: Int, rows: Int) {
        for content in Self.screens where content.alert == nil && content.entry != nil {
            var screen = TerminalScreen(content, size: TerminalSize(columns: columns, rows: rows))
            for _ in 0..<7 { screen.handle(.key(.down)) { _ in Issue.record("an arrow is no input") } }
            var inputs: [String] = []
            screen.handle(.character("7")) { inputs.append("\($0)") }
            #expect(inputs.count == 1)
            #expect(screen.focus == nil)
            var more = content
            more.entry?.filled += 1
            let before = screen.painting().canvas.lines
            screen.show(more)
            #expect(screen.painting().canvas.lines != before, "\(columns)×\(rows)")
        }
    }

    @Test(
        "P-30: a window that is too small says so, and takes passcode and keys all the same",
        arguments: tooSmall
    )
    func tiny(columns: Int, rows: Int) {
        for content in Self.screens {
            var screen = TerminalScreen(content, size: TerminalSize(columns: columns, rows: rows))
            let lines = screen.painting().canvas.lines
            let text = lines.joined(separator: " ")
            #expect(lines.contains { !$0.isEmpty })
            if rows >= 6, columns >= 9 { #expect(text.contains("Too small"), "\(columns)×\(rows): \(lines)") }
            var inputs: [String] = []
            screen.handle(.character("7")) { inputs.append("\($0)") }
            #expect(inputs.count == (content.alert == nil && content.entry != nil ? 1 : 0))
            guard content.alert != nil else { continue }
            #expect(screen.focus == .control(.cancel))
            screen.handle(.key(.escape)) { inputs.append("\($0)") }
            #expect(inputs.count == 1 && inputs[0].contains("cancel"))
        }
    }

    @Test(
        "P-33: the question before logging out keeps its text and a way back, in a frame where there is room"
    )
    func logOut() {
        for (columns, rows) in Self.sizes {
            var screen = TerminalScreen(
                SampleScreens.forgotten,
                size: TerminalSize(columns: columns, rows: rows)
            )
            let text = screen.painting().canvas.lines.joined(separator: " ")
            for word in ["log", "again.", "removed.", "Cancel", "Logout"] {
                #expect(text.contains(word), "\(columns)×\(rows)")
            }
            #expect(screen.focus == .control(.cancel))
            screen.handle(.key(.tab)) { _ in }
            #expect(screen.focus == .control(.logOut))
        }
    }

    // MARK: Keys

    private func hint(_ content: ScreenContent, _ columns: Int = 80, lockKey: String? = nil) -> String {
        TerminalScreen(
            content,
            size: TerminalSize(columns: columns, rows: 24),
            keyHints: KeyHints(lockKey: lockKey)
        ).painting().canvas.lines.last.map { String($0.trimmingPrefix { $0 == " " }) } ?? ""
    }

    @Test(
        "P-30: every screen says what its keys do, the host's lock key too, and says no more than there is room for"
    )
    func hints() {
        #expect(hint(SampleScreens.lock(), lockKey: "ctrl-]") == "tab moves · return chooses · ctrl-] locks")
        #expect(hint(SampleScreens.lock()) == "tab moves · return chooses")
        #expect(hint(SampleScreens.forgotten) == "tab moves · esc cancels · return chooses")
        #expect(hint(SampleScreens.field(filled: 1)) == "tab moves · return submits")
        var settings = SampleScreens.settings
        settings.controls.append(ScreenControl(.ok, title: "Done"))
        #expect(hint(settings) == "tab moves · esc closes · return chooses")
        #expect(hint(settings, 24) == "tab moves · esc closes")
        #expect(hint(SampleScreens.lock(), 24, lockKey: "ctrl-]") == "tab moves")
        #expect(hint(SampleScreens.lock(), 30, lockKey: "ctrl-]") == "tab moves · return chooses")
        for content in Self.screens { #expect(hint(content, 24).count <= 24 && !hint(content, 24).isEmpty) }
    }

    @Test("P-37: Esc closes Security; where there is Cancel it is Cancel")
    func escape() {
        var settings = SampleScreens.settings
        settings.controls.append(ScreenControl(.ok, title: "Done"))
        var screen = TerminalScreen(settings, size: TerminalSize(columns: 80, rows: 24))
        var inputs: [String] = []
        screen.handle(.key(.escape)) { inputs.append("\($0)") }
        #expect(inputs.count == 1 && inputs[0].contains("\"ok\""))
        screen.show(SampleScreens.lock())
        screen.handle(.key(.escape)) { inputs.append("\($0)") }
        #expect(inputs.count == 1, "a lock screen is not left")
    }

    @Test(
        "P-37: Security begins on the same control, whatever it still has to find out; moved, the focus stays"
    )
    func firstFocus() {
        func settings(busy: Bool) -> ScreenContent {
            var content = SampleScreens.settings
            content.isBusy = busy
            for index in content.controls.indices { content.controls[index].isEnabled = !busy }
            content.controls.append(ScreenControl(.ok, title: "Done"))
            return content
        }
        var empty = settings(busy: true)
        empty.controls.removeSubrange(1..<4)
        var screen = TerminalScreen(empty, size: TerminalSize(columns: 80, rows: 24))
        screen.handle(.key(.enter)) { _ in Issue.record("nothing is closed while it is still busy") }
        screen.show(settings(busy: false))
        #expect(screen.focus == .control(.passcode))
        screen.handle(.key(.down)) { _ in }
        #expect(screen.focus == .control(.change))
        screen.show(settings(busy: true))
        screen.show(settings(busy: false))
        #expect(screen.focus == .control(.change), "what was under way takes the focus nowhere else")
        // One that an administrator does not want cannot be switched on.
        var disabled = settings(busy: false)
        disabled.controls.removeSubrange(1..<4)
        disabled.controls[0].isEnabled = false
        var other = TerminalScreen(empty, size: TerminalSize(columns: 80, rows: 24))
        other.show(disabled)
        #expect(other.focus == .control(.ok))
    }
}

@Suite("The goal lock's screens on small terminals (A-20 to A-23)")
struct SmallGoalTests {
    private func walk<Screen>(_ stage: FaceStage<Screen>, _ key: TerminalEvent.Key = .down)
        -> String
    {
        var stage = stage
        var text = ""
        for _ in 0..<60 {
            text += stage.lines.joined(separator: " ") + " "
            stage.press(.key(key))
        }
        return text
    }

    private func expect(_ texts: [String], in found: String, _ place: String) {
        for word in texts.flatMap({ $0.split(separator: " ") }) {
            #expect(found.contains(word), "\(place): \(word)")
        }
    }

    @Test(
        "A-20 to A-23: at every size down to 24×10 no word is lost, and keys are explained",
        arguments: SmallTerminalTests.sizes
    )
    func everything(columns: Int, rows: Int) {
        let place = "\(columns)×\(rows)"
        let introduction = SampleGoals.introduction(columns, rows)
        expect(words(introduction.screen.content) + ["return goes on"], in: walk(introduction), place)

        let status = SampleGoals.status(
            isOn: true,
            isEntitled: false,
            reason: .notEntitled,
            apps: ["Chat", "Chess"]
        )
        let settings = SampleGoals.settings(columns, rows, status)
        let content = settings.screen.content
        #expect(words(content).contains("Chess") && content.message != nil)
        expect(words(content) + ["arrows move"], in: walk(settings), place)

        var refused = SampleGoals.settings(columns, rows)
        refused.press(.character(" "))
        let how =
            "Ask the administrator of this machine for the right to stop the programs that you have chosen."
        refused.tell(.enabled(.notAuthorized(howToAllow: how), generation: 2))
        let alert = refused.screen.content.alert
        let answers = alert?.actions.map(\.title) ?? ["none"]
        expect([alert?.title ?? "none", how] + answers, in: walk(refused), place)

        let picker = SampleGoals.picker(columns, rows)
        let choice = words(picker.screen.content)
        #expect(choice.contains("Games") && choice.contains("Search"))
        expect(choice + ["space chooses"], in: walk(picker), place)

        let paywall = SampleGoals.paywall(columns, rows)
        #expect(words(paywall.screen.content).contains("App Lock"))
        expect(words(paywall.screen.content), in: walk(paywall), place)
    }

    /// Every text that a person has to be able to read.
    private func words(_ content: ScreenContent) -> [String] {
        var words = [
            content.title, content.message?.text, content.search?.prompt, content.cards?.front?.text,
        ]
        .compactMap(\.self)
        for control in content.controls {
            words += [control.title, control.group]
            if case .link(let chosen) = control.kind { words += chosen.map(\.label) }
        }
        for text in content.texts {
            switch text {
            case .paragraph(let text), .note(let text): words.append(text)
            case .items(let items): words += items
            }
        }
        return words
    }
}
