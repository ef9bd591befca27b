import LockScreens
import Testing
import WebScreens

@Suite("Foreign text on a page is text (W-1)", .timeLimit(.minutes(5)))
struct EscapingTests {
    static let hostile = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)",
        "&lt;b&gt;",
        "</title><svg onload=alert(1)>", "]]><!--", "`onfocus=alert(1) autofocus",
        "\u{202E}txt.exe\u{0}\u{7}",
        "{{constructor}}", "javascript:alert(1)", "\u{FEFF}<\u{200B}script>",
    ]

    /// A content that says a text wherever it can say one.
    private func content(_ text: String) -> ScreenContent {
        ScreenContent(
            title: text,
            symbol: text,
            prompt: text,
            step: ScreenStep(1, of: 2, accessibilityValue: text),
            cards: CardDeck(
                [ScreenCard(symbol: text, title: text, text: text)],
                index: 0,
                accessibilityValue: text
            ),
            icons: IconRow([ScreenIcon(symbol: text, label: text)]),
            search: SearchField(text: text, prompt: text, summary: text),
            entry: EntryContent(
                style: .dots(count: 6),
                filled: 1,
                accessibilityValue: text,
                autofill: .oneTimeCode
            ),
            pad: NumberPad(isEnabled: true, deleteSymbol: text, deleteLabel: text),
            message: ScreenMessage(.error, text),
            controls: [
                ScreenControl(ControlID(text), title: text, symbol: text, accessibilityLabel: text + "."),
                ScreenControl(ControlID(text), kind: .toggle(isOn: true), title: text, group: text),
                ScreenControl(ControlID(text), kind: .choice(options: [text], selected: 0), title: text),
                ScreenControl(
                    ControlID(text),
                    kind: .link(chosen: [ScreenItem(ControlID(text), label: text)]),
                    title: text
                ),
                ScreenControl(ControlID(text), kind: .option(isChosen: true), title: text),
            ],
            texts: [.paragraph(text), .note(text), .items([text])],
            alert: ScreenAlert(
                title: text,
                text: text,
                actions: [ScreenControl(ControlID(text), title: text)]
            )
        )
    }

    private func page(_ text: String) -> String {
        WebPage(base: "/_lock/", id: text, next: text, screen: text).html(WebScreen(content(text)))
    }

    @Test("W-1: a page has the same tags and attributes whatever its texts say", arguments: hostile)
    func sameStructure(text: String) {
        let plain = readHTML(page("plain"))
        let found = readHTML(page(text))
        #expect(found.tags == plain.tags)
        #expect(found.attributes.map { Set($0.keys) } == plain.attributes.map { Set($0.keys) })
    }

    @Test("W-1: a patch has the same tags whatever its texts say", arguments: hostile)
    func samePatch(text: String) {
        let plain = WebScreen(content("plain")).patch(since: 0)
        let found = WebScreen(content(text)).patch(since: 0)
        #expect(Set(found.regions.keys) == Set(plain.regions.keys))
        for (id, html) in found.regions {
            #expect(readHTML(html).tags == readHTML(plain.regions[id] ?? "").tags)
        }
    }

    @Test("W-1: an event of the stream is one line, whatever its texts say", arguments: hostile)
    func oneLine(text: String) {
        let event = WebMessage(isLocked: true, screen: text, patch: WebScreen(content(text)).patch(since: 0))
            .event
        #expect(event.count { $0 == UInt8(ascii: "\n") } == 2)
        #expect(event.suffix(2) == Array("\n\n".utf8)[...])
        #expect(!event.contains(UInt8(ascii: "\r")))
    }

    @Test("W-1, W-4: a message has its prompt, and leaves out what it has not")
    func prompt() {
        let prompt = WebPrompt(id: "7", creates: true, options: "{}")
        let message = WebMessage(session: "a", isLocked: true, screen: "lock", prompt: prompt, number: 3)
        #expect(
            String(decoding: message.json, as: UTF8.self)
                == #"{"isLocked":true,"isOver":false,"number":3,"prompt":{"creates":true,"id":"7","options":"{}"},"screen":"lock","session":"a"}"#
        )
    }

    @Test("W-1: escaping keeps what can be read, and neutralises what cannot")
    func escaped() {
        #expect(HTMLText.escaped("Zoë & <b>漢字</b>") == "Zoë &amp; &lt;b&gt;漢字&lt;/b&gt;")
        #expect(HTMLText.escaped("a\u{202E}b\nc\u{0}") == "a\u{FFFD}b c\u{FFFD}")
    }
}
