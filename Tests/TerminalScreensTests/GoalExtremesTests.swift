import GoalLock
import LockScreens
import PortcullisCore
import TerminalScreens
import Testing

/// The goal lock's screens with what a host, a system or another person may bring.
@Suite("The goal lock's screens at their limits (A-20 to A-23)", .timeLimit(.minutes(5)))
struct GoalExtremesTests {
    private static let sizes = [(20, 6), (80, 24), (200, 50)]

    /// Wide, joined, tagged, composed, from right to left, invisible, and made to steer a terminal.
    private static let labels = [
        "漢字カナ 한국어", "👨‍👩‍👧‍👦 Family", "🏴󠁧󠁢󠁥󠁮󠁧󠁿 England", "🇩🇪 👍🏽 1️⃣", "שלום עולם", "مرحبا بالعالم",
        "می\u{200C}خواهم", "\u{202E}turned\u{202C}", "e\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}", "क्षत्रिय",
        "\u{1B}[2Jgone\u{07}", "a\r\nb\tc", "\u{200B}\u{FEFF}", "", String(repeating: "界", count: 150),
    ]

    private static let apps = labels.enumerated().map {
        ShieldCatalogue.Entry(token: AppToken("app\($0).desktop"), label: $1)
    }

    /// Rows with characters in them that must not reach a terminal.
    private func faults<Screen>(_ stage: FaceStage<Screen>) -> [String] {
        let unwanted: Set<Unicode.GeneralCategory> = [.control, .format, .lineSeparator, .paragraphSeparator]
        return stage.face.painting(shake: 0).canvas.lines.filter { line in
            line.unicodeScalars.contains { unwanted.contains($0.properties.generalCategory) }
        }
    }

    @Test(
        "A-20 to A-23: labels of every kind are drawn on all four screens, and steer none",
        arguments: sizes
    )
    func labels(columns: Int, rows: Int) {
        let catalogue = ShieldCatalogue(
            apps: Self.apps,
            categories: Self.labels.enumerated().map {
                ShieldCatalogue.Entry(token: CategoryToken("category\($0)"), label: $1)
            }
        )
        var picker = SampleGoals.picker(columns, rows, catalogue: catalogue)
        for _ in 0..<2 * Self.labels.count {
            #expect(faults(picker).isEmpty)
            #expect(!picker.focused.isEmpty)
            picker.press(.character(" "), .key(.down))
        }
        #expect(picker.focused == "Done")
        picker.press(.character(" "))
        let all = ShieldSelection(
            apps: Set(catalogue.apps.map(\.token)),
            categories: Set(catalogue.categories.map(\.token))
        )
        #expect(picker.effects == [.finish(all)])

        let icons = Self.labels.map { ScreenIcon(symbol: "app", label: $0) }
        var introduction = SampleGoals.introduction(columns, rows, icons: icons)
        introduction.tell(.appeared)
        for _ in 0..<300 {
            introduction.tell(.tick(generation: 1))
            #expect(faults(introduction).isEmpty)
        }

        var status = SampleGoals.status(isOn: true)
        status.selection = all
        for label in Self.labels {
            status.reason = .notAuthorized(howToAllow: label)
            var settings = SampleGoals.settings(columns, rows, status)
            settings.tell(.appeared)
            settings.tell(.found(status, catalogue, generation: 2))
            #expect(faults(settings).isEmpty)
        }
    }

    @Test(
        "A-23: no app, one, and five hundred; keys do no harm, and what is chosen is counted",
        arguments: sizes
    )
    func numbers(columns: Int, rows: Int) {
        for count in [0, 1, 500] {
            let catalogue = ShieldCatalogue(
                apps: (0..<count).map { SampleGoals.entry("App \(1_000 + $0)") },
                categories: []
            )
            var stage = SampleGoals.picker(columns, rows, catalogue: catalogue)
            #expect(faults(stage).isEmpty)
            #expect(stage.text.contains("Nothing found") == (count == 0))
            stage.press(.key(.end), .character(" "))
            guard count > 0 else {
                #expect(stage.effects == [.finish(ShieldSelection())], "Done is all there is to choose")
                continue
            }
            #expect(stage.focused == "[✓] App \(999 + count)")
            stage.press(.key(.pageUp), .key(.pageDown), .key(.home), .key(.up))
            #expect(stage.focused == "Cancel")
            stage.press(.key(.down), .key(.enter))
            let last = AppToken("App \(999 + count).desktop")
            #expect(stage.effects == [.finish(ShieldSelection(apps: [last]))])
        }
    }

    @Test(
        "A-23: apps that are not installed any more stay chosen, seen, and can be taken back",
        arguments: sizes
    )
    func uninstalled(columns: Int, rows: Int) {
        let gone = ShieldSelection(
            apps: [AppToken("Chat.desktop"), AppToken("gone.desktop")],
            categories: [CategoryToken("lost")]
        )
        let screen = PickerScreen(catalogue: SampleGoals.catalogue, selection: gone)
        var stage = SampleGoals.Picker(screen, columns, rows)
        var untouched = stage
        untouched.press(.key(.enter))
        #expect(untouched.effects == [.finish(gone)])
        stage.type("gone")
        #expect(stage.focused.hasPrefix("[✓] gone"))
        stage.press(.character(" "), .key(.enter))
        var rest = gone
        rest.apps.remove(AppToken("gone.desktop"))
        #expect(stage.effects == [.finish(rest)])

        var status = SampleGoals.status(isOn: true)
        status.selection = gone
        for catalogue in [nil, SampleGoals.catalogue] {
            var settings = SampleGoals.settings(columns, max(rows, 24), status)
            settings.tell(.appeared)
            settings.tell(.found(status, catalogue, generation: 2))
            #expect(settings.text.contains("gone.desktop") && settings.text.contains("lost"))
        }
    }

    @Test(
        "A-8: the alert can be read and closed at every size, and nothing under it hears a key",
        arguments: sizes
    )
    func alert(columns: Int, rows: Int) {
        var stage = SampleGoals.settings(columns, rows)
        stage.press(.character(" "), .character(" "))
        #expect(stage.effects == [.enable(generation: 2)], "pressed twice fast")
        stage.tell(.enabled(.notAuthorized(howToAllow: Self.labels.joined(separator: " ")), generation: 2))
        #expect(faults(stage).isEmpty && stage.text.contains("OK"))
        // The lock is switched on elsewhere meanwhile.
        stage.tell(.changed(SampleGoals.status(isOn: true)))
        stage.press(.key(.down), .character("x"), .key(.tab))
        #expect(stage.effects.isEmpty && stage.text.contains("OK"))
        stage.press(.key(.enter))
        #expect(stage.effects.isEmpty && !stage.text.contains("OK"))
    }

    @Test(
        "A-22: one card, two, and thirty go round; the place is told where dots do not fit",
        arguments: sizes
    )
    func cards(columns: Int, rows: Int) {
        for count in [0, 1, 29] {
            let cards = (0..<count).map { number in
                let label = Self.labels[number % Self.labels.count]
                return ScreenCard(symbol: "star", title: label, text: label + " " + label)
            }
            var stage = SampleGoals.Paywall(PaywallScreen(cards: cards), columns, rows)
            let first = stage.text
            for _ in 0...count {
                #expect(faults(stage).isEmpty && stage.text.contains("Continue"))
                stage.press(.key(.right))
            }
            #expect(stage.text == first)
            stage.press(.key(.left), .key(.end), .character("9"), .key(.home))
            #expect(stage.text == first)
        }
    }

    @Test("A-20, A-22: a row that has moved anywhere, and a deck without cards, are drawn", arguments: sizes)
    func odd(columns: Int, rows: Int) {
        let size = TerminalSize(columns: columns, rows: rows)
        let icons = (0..<3).map { ScreenIcon(symbol: "app", label: "App \($0)") }
        var content = ScreenContent(title: "Title", symbol: "", controls: [ScreenControl(.ok, title: "OK")])
        for offset in [Double.nan, .infinity, -.infinity, 1e300, -1e300, -0.5, -7, 2.999, 3, 400] {
            content.icons = IconRow(icons, offset: offset)
            #expect(
                TerminalScreen(content, size: size).painting().canvas.lines.contains { $0.contains("OK") }
            )
        }
        content.icons = IconRow([], offset: 1)
        _ = TerminalScreen(content, size: size).painting()
        content.icons = nil
        for index in [0, 5, -1, Int.max, Int.min] {
            for cards in [[], [ScreenCard(symbol: "", title: "Card", text: "Text")]] {
                content.cards = CardDeck(cards, index: index, accessibilityValue: "")
                var screen = TerminalScreen(content, size: size)
                for key in [TerminalEvent.Key.left, .right, .home, .end] { screen.handle(.key(key)) { _ in } }
                _ = screen.painting()
                var plain = PlainScreens()
                _ = plain.lines(for: content)
                #expect(!plain.interpret(SecretBytes(copying: "7".utf8)) { _ in })
            }
        }
    }

    @Test("A-23: an app's name that would steer a terminal does not in lines of text either")
    func plainLabels() {
        let entries = Self.labels.map { label in
            ShieldCatalogue.Entry(token: AppToken("\u{301}\(label).desktop"), label: label)
        }
        var picker = PickerScreen(catalogue: ShieldCatalogue(apps: entries + entries, categories: []))
        #expect(picker.content.controls.count == entries.count + 2, "a token is one row")
        let any = Moment(wall: .zero, sinceBoot: .zero, boot: BootID("any"))
        for control in picker.content.controls where control.kind != .button {
            _ = picker.handle(.input(.activate(control.id)), at: any)
        }
        #expect(picker.content.search?.summary == "\(entries.count) chosen")
        var content = picker.content
        content.message = ScreenMessage(.error, "\u{1B}[2J")
        var plain = PlainScreens()
        var lines = plain.lines(for: content) + [plain.hint]
        #expect(plain.hint == "Not understood. [?] Search [done] [cancel]")
        content.alert = ScreenAlert(
            title: "\u{9B}2J",
            text: "\u{1B}c\nb",
            actions: [ScreenControl(.ok, title: "OK")]
        )
        lines += plain.lines(for: content)
        #expect(!lines.contains { $0.unicodeScalars.contains { $0.properties.generalCategory == .control } })
    }
}
