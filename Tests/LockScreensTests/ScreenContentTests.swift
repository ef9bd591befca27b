import Foundation
import LockScreens
import Testing

@Suite("What a screen shows (P-30, W-1)")
struct ScreenContentTests {
    @Test("W-1: a content is the same after it was written as JSON and read again")
    func codable() throws {
        let content = ScreenContent(
            title: "Reset Passcode",
            symbol: "lock",
            prompt: "Code",
            entry: EntryContent(
                style: .dots(count: 6),
                filled: 2,
                accessibilityValue: "2 of 6",
                autofill: .oneTimeCode
            ),
            pad: NumberPad(isEnabled: true, deleteSymbol: "delete.left", deleteLabel: "Delete"),
            message: ScreenMessage(.countDown, "Try again in 5 s", timeLeft: .milliseconds(4_500)),
            shakes: 3,
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
            ],
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
}
