import GoalLock
import PortcullisCore
import TerminalScreens
import Testing

@Suite("The picker in a terminal (A-23)", .timeLimit(.minutes(5)))
struct PickerFaceTests {
    @Test("A-23: categories and apps with check marks; Space chooses, Return keeps")
    func chooses() {
        var stage = SampleGoals.picker()
        #expect(stage.focused == "[ ] Games")
        stage.press(.character(" "), .key(.down), .key(.down))
        #expect(stage.focused == "[ ] Chat")
        stage.press(.character(" "))
        #expect(stage.focused == "[✓] Chat")
        #expect(stage.lines.contains { $0.contains("[✓] Games") })
        #expect(stage.text.contains("2 chosen"))
        stage.press(.key(.enter))
        let wanted = ShieldSelection(
            apps: [AppToken("Chat.desktop")],
            categories: [CategoryToken("game")]
        )
        #expect(stage.effects == [.finish(wanted)])
    }

    @Test("A-23: Esc gives up the search first, then the choice")
    func leaves() {
        var stage = SampleGoals.picker()
        stage.press(.character(" "))
        stage.type("zeb")
        stage.press(.key(.escape))
        #expect(stage.effects.isEmpty && stage.text.contains("Vidéo"))
        stage.press(.key(.escape))
        #expect(stage.effects == [.finish(nil)])
    }

    @Test("A-23: typing narrows the list; the title and the buttons stay where they are")
    func searches() {
        var stage = SampleGoals.picker()
        func place(_ text: String) -> Int? { stage.lines.firstIndex { $0.contains(text) } }
        let places = (place("Select Apps"), place("Done"))
        stage.type("漢")
        #expect(stage.focused == "[ ] Vidéo 漢字")
        #expect(stage.lines.count { $0.contains("[ ]") } == 1)
        #expect((place("Select Apps"), place("Done")) == places)
        stage.press(.character(" "), .key(.delete))
        #expect(stage.focused == "[✓] Vidéo 漢字", "the focus stays on what it is on")
        #expect(stage.lines.count { $0.contains("[ ]") } > 5)
        stage.type("nothing like it")
        #expect(stage.text.contains("Nothing found") && stage.text.contains("nothing like it"))
        stage.press(.character(" "))
        #expect(stage.effects.isEmpty, "a blank in a search does not press Done")
        stage.press(.control("u"))
        #expect(stage.text.contains("Search"))
    }

    @Test(
        "A-23: a list that does not fit scrolls; what has the focus can always be seen",
        arguments: [(20, 6), (40, 12), (80, 24), (200, 60)]
    )
    func scrolls(columns: Int, rows: Int) {
        var stage = SampleGoals.picker(columns, rows)
        var seen: [String] = []
        for _ in 0..<36 {
            #expect(stage.text.contains(stage.focused))
            seen.append(stage.focused)
            stage.press(.key(.down))
        }
        #expect(Set(seen).count == 36)
        #expect(stage.focused == "Done")
        stage.press(.key(.down), .key(.down))
        #expect(stage.focused == seen[0])
        stage.press(.key(.end))
        #expect(stage.focused == seen[35])
        stage.press(.key(.pageUp))
        #expect(stage.focused != seen[35])
        stage.press(.key(.home))
        #expect(stage.focused == seen[0])
    }

    @Test("A-23: Tab goes from a long list to the buttons and back to where one was")
    func tab() {
        var stage = SampleGoals.picker(40, 12)
        stage.press(.key(.down), .key(.down), .key(.down), .key(.tab))
        #expect(stage.focused == "Done" && stage.text.contains("Chess"))
        stage.press(.key(.tab))
        #expect(stage.focused == "Cancel")
        stage.press(.key(.tab))
        #expect(stage.focused == "[ ] Chess")
        stage.press(.key(.backTab), .key(.enter))
        #expect(stage.effects == [.finish(nil)])
    }

    @Test("A-23: a click chooses what lies under it")
    func clicks() throws {
        var stage = SampleGoals.picker()
        let row = try #require(stage.lines.firstIndex { $0.contains("Chess") })
        stage.press(.press(button: 0, x: 20, y: row))
        #expect(stage.focused == "[✓] Chess")
    }

    @Test("A-23: a label from elsewhere cannot steer the terminal, move other text, or be invisible")
    func hostile() {
        let labels = [
            "\u{1B}]0;title\u{07}\u{1B}[2J\u{1B}[HClear", "Turn\u{202E}around", "Two\nlines\r\tand tabs",
            "\u{9B}31mRed\u{84}", "e" + String(repeating: "\u{301}", count: 500), "👨‍👩‍👧‍👦 Family",
            "\u{200B}\u{200E}", "",
            String(repeating: "long ", count: 100), "한국어 앱", "\u{301}mark",
        ]
        let catalogue = ShieldCatalogue(
            apps: labels.enumerated().map {
                ShieldCatalogue.Entry(token: AppToken("app\($0).desktop"), label: $1)
            },
            categories: []
        )
        for (columns, rows) in [(20, 6), (80, 24)] {
            var stage = SampleGoals.picker(columns, rows, catalogue: catalogue)
            for _ in 0..<labels.count {
                let painted = stage.face.painting(shake: 0).canvas
                // Everything outside of our own sequences is printable.
                let plain = Self.withoutSequences(stage.written)
                let odd = plain.unicodeScalars.filter {
                    [.control, .format, .lineSeparator].contains($0.properties.generalCategory)
                }
                #expect(odd.isEmpty)
                #expect(painted.lines.count == rows)
                #expect(!stage.focused.dropFirst(4).isEmpty, "an app without a visible label has its token")
                stage.press(.key(.down))
            }
            #expect(stage.text.unicodeScalars.count { $0 == "\u{301}" } < 12)
        }
    }

    /// The text that is left without what `Canvas` itself writes: positions, styles, synchronized updates.
    private static func withoutSequences(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self).replacing(/\u{1B}\[[0-9;?]*[HJhlm]/, with: "")
    }
}
