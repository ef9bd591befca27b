import GoalLock
import LockScreens
import PortcullisCore
import PortcullisTesting
import TerminalScreens
import Testing

@Suite("The goal lock's screens in a terminal (A-20, A-21, A-22)", .timeLimit(.minutes(5)))
struct GoalFacesTests {
    private func expect(_ found: [String], _ wanted: String) {
        let expected = wanted.split(separator: "\n", omittingEmptySubsequences: false).map { $0.dropFirst() }
        #expect(found == expected.map(String.init), "\n\(found.map { "|" + $0 }.joined(separator: "\n"))")
    }

    // MARK: Introduction

    @Test("A-20: icon, title, text, the row of apps and the button at 60×18")
    func introduction() {
        expect(
            SampleGoals.introduction(60, 18).lines,
            """
            |                             ⬚
            |                    Introducing App Lock
            |
            |   Take control of your screen time. Set daily limits for
            |     social apps and stay focused on what matters most.
            |
            |               ╭───────╮ ╭───────╮ ╭───────╮
            |               │ Chat  │ │ Video │ │ Chess │
            |               ╰───────╯ ╰───────╯ ╰───────╯
            |
            |                        Get Started
            |
            |                       return goes on
            |
            |
            |
            |
            |
            """
        )
    }

    @Test("A-20: the row moves by whole cells, goes round, and nothing is drawn in between")
    func row() {
        var stage = SampleGoals.introduction()
        stage.tell(.appeared)
        var pictures: [String] = []
        var drawn = 0
        var idle = 0
        for _ in 0..<300 {
            if stage.tell(.tick(generation: 1)) == .nothing { idle += 1 } else { drawn += 1 }
            pictures.append(stage.text)
        }
        // Three apps of ten cells each.
        #expect(drawn == 30 && idle == 270)
        #expect(Set(pictures).count == 30)
        #expect(pictures[9] != pictures[8] && pictures[8] == pictures[1])
        stage.tell(.tick(generation: 1))
        #expect(stage.text == pictures[0], "round")
    }

    @Test("A-20: the row moves by the clock, and stops with the screen")
    @MainActor
    func clock() async throws {
        let clock = ManualClock()
        let service = try GoalLockService(
            backends: Backends(secrets: InMemorySecretStore(), clock: clock),
            configuration: GoalConfiguration(goal: 100, title: "Steps")
        )
        let presenter = GoalScreenEffects(service: service, clock: clock)
            .introduction(icons: SampleGoals.icons, openSettings: {})
        var face = TerminalScreen(presenter.content, size: TerminalSize(columns: 80, rows: 24))
        presenter.handle(.appeared)
        let before = face.painting(shake: 0).canvas.lines
        for count in 1...10 {
            await clock.waitForSleepers(1)
            await clock.advance(by: .milliseconds(10))
            try await BoundedWait.until { (presenter.content.icons?.offset ?? 0) >= Double(count) / 100 }
        }
        #expect(face.present(presenter.content) == .picture)
        #expect(face.painting(shake: 0).canvas.lines != before)
        presenter.dismiss()
    }

    @Test("A-20: Return, Space, Esc and a click on the button open the settings; other keys do not")
    func getStarted() throws {
        for event in [TerminalEvent.key(.enter), .character(" "), .key(.escape)] {
            var stage = SampleGoals.introduction()
            stage.tell(.appeared)
            stage.press(.character("x"), .key(.down))
            #expect(stage.effects.isEmpty)
            stage.press(event)
            #expect(stage.effects == [.openSettings])
        }
        var stage = SampleGoals.introduction()
        stage.tell(.appeared)
        let row = try #require(stage.lines.firstIndex { $0.contains("Get Started") })
        stage.press(.press(button: 0, x: 40, y: row))
        #expect(stage.effects == [.openSettings])
    }

    // MARK: Settings

    @Test("A-21: switched off, with what the feature is, at 50×18")
    func settingsOff() {
        expect(
            SampleGoals.settings(50, 18).lines,
            """
            |                        ⬚
            |                     App Lock
            |
            |    Enable App Lock                         ○━
            |
            |    Selected apps will be blocked until you
            |    reach your daily step goal. Shields reset
            |    at midnight.
            |
            |    • Choose Apps to Lock
            |    • Walk to Unlock
            |    • Resets Daily
            |
            |                       Done
            |
            |      arrows move · space sets · esc leaves
            |
            |
            """
        )
    }

    @Test("A-21: switched on, with what is chosen; the switch says that it is busy")
    func settingsOn() {
        var stage = SampleGoals.settings(50, 18, SampleGoals.status(isOn: true, apps: ["Chess", "Chat"]))
        #expect(stage.text.contains("━●") && stage.text.contains("Select Apps"))
        #expect(stage.text.contains("• Chat\n") && stage.text.contains("• Chess\n"))
        #expect(!stage.text.contains("Walk to Unlock"))
        stage.press(.character(" "))
        #expect(stage.effects == [.disable(generation: 2)])
        #expect(stage.text.contains("· · ·"))
        stage.press(.character(" "), .key(.down), .key(.enter))
        #expect(stage.effects.isEmpty, "nothing while it is busy")
        stage.press(.key(.escape))
        #expect(stage.effects == [.finish])
    }

    @Test("A-21: the picker opens from its row; Done closes")
    func settingsKeys() {
        var stage = SampleGoals.settings(80, 24, SampleGoals.status(isOn: true, apps: ["Chat"]))
        stage.press(.key(.down), .key(.enter))
        #expect(
            stage.effects == [
                .openPicker(ShieldSelection(apps: [AppToken("Chat.desktop")]), SampleGoals.catalogue)
            ]
        )
        stage.press(.key(.down))
        #expect(stage.focused == "Done")
        stage.press(.key(.enter))
        #expect(stage.effects == [.finish])
    }

    @Test(
        "A-8: how to allow it is said over the settings and must be answered, also where little fits",
        arguments: [(80, 24), (40, 12), (20, 6)]
    )
    func alert(columns: Int, rows: Int) {
        var stage = SampleGoals.settings(columns, rows)
        stage.press(.character(" "))
        stage.tell(.enabled(.notAuthorized(howToAllow: "Allow it there."), generation: 2))
        for part in ["Permission", "Needed", "Allow it", "OK"] { #expect(stage.text.contains(part)) }
        stage.press(.key(.escape))
        #expect(stage.effects.isEmpty && !stage.text.contains("Permission"))
        stage.press(.character(" "))
        #expect(stage.effects == [.enable(generation: 3)], "the focus is back on the switch")
    }

    @Test("A-7, A-11: why shields are down, and what went wrong, is said")
    func messages() {
        var stage = SampleGoals.settings(
            80,
            24,
            SampleGoals.status(isOn: true, isEntitled: false, reason: .notEntitled)
        )
        #expect(stage.text.contains("your subscription has ended"))
        stage.press(.character(" "))
        stage.tell(.failed(message: "the disk\u{1B}[2J is full", generation: 2))
        #expect(stage.text.contains("the disk\u{FFFD}[2J is full"))
    }

    @Test("A-21: where the text does not fit the arrows reach every line of it")
    func reading() {
        var stage = SampleGoals.settings(20, 6)
        var seen = ""
        for _ in 0..<20 {
            seen += stage.text + "\n"
            stage.press(.key(.down))
        }
        for word in [
            "Enable", "Selected", "blocked", "daily", "midnight", "Choose", "Walk", "Resets", "Done",
        ] {
            #expect(seen.contains(word), "\(word)")
        }
    }

    // MARK: Paywall

    @Test("A-22: a card of eight, its place in dots, and the buttons at 50×18")
    func paywall() {
        expect(
            SampleGoals.paywall(50, 18).lines,
            """
            |
            |
            |
            |     ╭──────────────────────────────────────╮
            |     │                  ⬚                   │
            |     │               App Lock               │
            |     │                                      │
            |   ‹ │   Block distracting apps until you   │ ›
            |     │        reach your daily goal.        │
            |     │                                      │
            |     ╰──────────────────────────────────────╯
            |
            |                 ● ○ ○ ○ ○ ○ ○ ○
            |
            |                Continue    Close
            |
            |    left and right turn the cards · esc leaves
            |
            """
        )
    }

    @Test("A-22: arrows turn the carousel round, digits show a card", arguments: [(80, 24), (20, 6)])
    func carousel(columns: Int, rows: Int) {
        var stage = SampleGoals.paywall(columns, rows)
        #expect(stage.text.contains("App Lock"))
        stage.press(.key(.right))
        #expect(stage.text.contains("Feature 1"))
        stage.press(.key(.left), .key(.left))
        #expect(stage.text.contains("Feature 7"))
        stage.press(.character("4"))
        #expect(stage.text.contains("Feature 3"))
        #expect(stage.text.contains("○ ○ ○ ● ○ ○ ○ ○") || rows < 8)
        stage.press(.key(.enter))
        #expect(stage.effects == [.purchase(generation: 1)])
        stage.press(.character(" "))
        #expect(stage.effects.isEmpty, "one purchase at a time")
        stage.tell(.purchased(.failed(message: "No network"), generation: 1))
        #expect(stage.text.contains("No network"))
        stage.press(.key(.escape))
        #expect(stage.effects == [.finish(isBought: false)])
    }

    // MARK: Every size and terminal

    private func pictures(_ columns: Int, _ rows: Int, _ abilities: TerminalAbilities) -> [[String]] {
        let on = SampleGoals.status(isOn: true, apps: ["Chat", "Vidéo 漢字"])
        return [
            SampleGoals.introduction(columns, rows, abilities: abilities).lines,
            SampleGoals.settings(columns, rows, abilities: abilities).lines,
            SampleGoals.settings(columns, rows, on, abilities: abilities).lines,
            SampleGoals.picker(columns, rows, abilities: abilities).lines,
            SampleGoals.paywall(columns, rows, abilities: abilities).lines,
        ]
    }

    @Test("A-20 to A-23: from 20×6 the ways on can be seen at every size; smaller never fails")
    func everySize() {
        let buttons = ["Get Started", "Done", "Done", "Done", "Continue"]
        for columns in [1, 2, 3, 7, 19, 20, 29, 30, 40, 79, 80, 200] {
            for rows in Array(1...8) + [13, 14, 17, 18, 24, 60] {
                for (picture, button) in zip(pictures(columns, rows, TerminalAbilities()), buttons)
                where columns >= 20 && rows >= 6 {
                    #expect(picture.contains { $0.contains(button) }, "\(columns)×\(rows): \(button)")
                }
            }
        }
    }

    @Test("A-20 to A-23: without Unicode our own characters are ASCII; without colours none is selected")
    func abilities() {
        for line in pictures(80, 24, TerminalAbilities(unicode: false)).joined() {
            #expect(line.utf8.allSatisfy { $0 < 0x80 } || line.contains("Vid"), "\(line)")
        }
        let bare = SampleGoals.picker(abilities: TerminalAbilities(colours: false))
        let text = String(decoding: bare.written, as: UTF8.self)
        #expect(!text.contains(";36m") && !text.contains(";31m") && text.contains(";7m"))
    }

    @Test("A-20 to A-23: after a change of size everything is drawn anew, and fits")
    func resize() {
        var settings = SampleGoals.settings()
        settings.resize(30, 8)
        #expect(settings.lines == SampleGoals.settings(30, 8).lines)
        var picker = SampleGoals.picker(20, 6)
        picker.resize(80, 24)
        #expect(picker.lines == SampleGoals.picker().lines)
    }
}
