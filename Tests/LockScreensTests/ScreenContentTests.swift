import Foundation
import LockScreens
import Testing

@Suite("What a screen shows (P-30, W-1)")
struct ScreenContentTests {
    @Test("A-1: the controls of two apps whose tokens differ in their bytes alone are two controls")
    func controls() {
        let (composed, apart) = (ControlID("app:\u{E9}"), ControlID("app:e\u{301}"))
        let (isEqual, isOther) = (composed == apart, composed != apart)
        #expect(!isEqual && isOther)
        #expect(Set([composed, apart]).count == 2)
        #expect(composed == ControlID(rawValue: "app:\u{E9}"))
        #expect(composed.hashValue != apart.hashValue)
    }

    @Test("W-1: a content is the same after it was written as JSON and read again")
    func codable() throws {
        let content = ScreenContent(
            title: "Reset Passcode",
            symbol: "lock",
            prompt: "Code",
            step: ScreenStep(1, of: 3, accessibilityValue: "Step 1 of 3"),
            cards: CardDeck(
                [ScreenCard(symbol: "a", title: "A", text: "B")],
                index: 0,
                accessibilityValue: "Card 1 of 1"
            ),
            icons: IconRow([ScreenIcon(symbol: "i", label: "I")], offset: 0.5),
            search: SearchField(text: "x", prompt: "Search", summary: "1 chosen"),
            entry: EntryContent(
                style: .dots(count: 6),
                filled: 2,
                accessibilityValue: "2 of 6",
                autofill: .oneTimeCode
            ),
            pad: NumberPad(isEnabled: true, deleteSymbol: "delete.left", deleteLabel: "Delete"),
            hint: ScreenHint(symbol: "touchid", text: "Touch the reader"),
            message: ScreenMessage(.countDown, "Try again in 5 s", timeLeft: .milliseconds(4_500)),
            shakes: 3,
            successes: 2,
            isBusy: true,
            controls: [
                ScreenControl(.done, title: "Done", isEnabled: false),
                ScreenControl(ControlID("x"), kind: .toggle(isOn: true), title: "X", symbol: "x"),
                ScreenControl(
                    ControlID("y"),
                    kind: .choice(options: ["a", "b"], selected: nil),
                    title: "Y",
                    role: .destructive
                ),
                ScreenControl(ControlID("z"), kind: .option(isChosen: true), title: "Z", group: "Letters"),
                ScreenControl(
                    ControlID("l"),
                    kind: .link(chosen: [ScreenItem(ControlID("z"), label: "Z")]),
                    title: "L",
                    role: .primary
                ),
            ],
            texts: [.paragraph("p"), .note("n"), .items(["i"])],
            alert: ScreenAlert(title: "Sure?", text: "", actions: [ScreenControl(.ok, title: "OK")])
        )
        let json = try JSONEncoder().encode(content)
        #expect(try JSONDecoder().decode(ScreenContent.self, from: json) == content)
        let field = EntryContent(style: .field(digitsOnly: false), filled: 0, accessibilityValue: "")
        #expect(try JSONDecoder().decode(EntryContent.self, from: JSONEncoder().encode(field)) == field)
    }

    @Test("P-30: digits are enough for dots, and for a field that says so")
    func keyboard() {
        func entry(_ style: EntryContent.Style) -> EntryContent {
            EntryContent(style: style, filled: 0, accessibilityValue: "")
        }
        #expect(entry(.dots(count: 4)).digitsOnly && entry(.field(digitsOnly: true)).digitsOnly)
        #expect(!entry(.field(digitsOnly: false)).digitsOnly)
        #expect(entry(.dots(count: 4)).autofill == .none)
    }

    @Test("P-32: an error is announced at once, a count-down not for each second")
    func politeness() {
        let kinds: [ScreenMessage.Kind] = [.error, .notice, .countDown]
        #expect(kinds.map { ScreenMessage($0, "").politeness } == [.assertive, .polite, .off])
    }

    @Test("A-22: cards go round, and a deck without any has none in front")
    func cards() {
        func deck(_ count: Int, _ index: Int) -> CardDeck {
            let cards = (0..<count).map { ScreenCard(symbol: "", title: "\($0)", text: "") }
            return CardDeck(cards, index: index, accessibilityValue: "")
        }
        #expect((-4...4).map { deck(3, 1).index(turnedBy: $0) } == [0, 1, 2, 0, 1, 2, 0, 1, 2])
        #expect(deck(3, 1).front?.title == "1")
        // A place beyond the cards is that of the nearest one.
        #expect([9, 3, 2, -4].map { deck(3, $0).index(turnedBy: 0) } == [2, 2, 2, 0])
        #expect(deck(0, 0).index(turnedBy: 1) == 0 && deck(0, 0).front == nil && deck(2, 2).front == nil)
    }

    @Test("P-31: the shake is 10·sin(2πt) within 400 ms")
    func shake() {
        let wanted = ShakeCurve(amplitude: 10, swings: 1, duration: .milliseconds(400))
        #expect(ShakeCurve.standard == wanted)
    }
}
