import PortcullisCore
import Testing

@Suite("Text of others (X-2)")
struct ForeignTextTests {
    @Test(
        "X-2: what a terminal would obey, or nothing is seen of, becomes a mark; line ends and tabs become blanks",
        arguments: [
            ("a\u{1B}]0;x\u{07}b", "a\u{FFFD}]0;x\u{FFFD}b"), ("\u{9B}2J", "\u{FFFD}2J"),
            ("\u{7F}", "\u{FFFD}"),
            ("a\r\nb\nc\td\u{85}e\u{2028}f\u{2029}g\u{0B}h", "a b c d e f g h"),
            ("\u{202E}gpj.exe", "\u{FFFD}gpj.exe"), ("a\u{2066}b\u{2069}", "a\u{FFFD}b\u{FFFD}"),
            ("\u{200E}\u{200F}\u{061C}", "\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("pay\u{200B}pal", "pay\u{FFFD}pal"), ("pay\u{200D}pal", "paypal"), ("a\u{2060}b", "a\u{FFFD}b"),
            ("\u{FEFF}x", "\u{FFFD}x"), ("so\u{AD}ft", "so\u{FFFD}ft"), ("\u{3164}", "\u{FFFD}"),
            ("\u{301}x", "\u{FFFD}x"), ("🏴\u{E0067}\u{E007F}!", "🏴!"),
        ]
    )
    func hidden(text: String, shown: String) {
        #expect(ForeignText.line(text) == shown)
        #expect(Array(ForeignText.line(text).unicodeScalars) == Array(shown.unicodeScalars))
    }

    @Test(
        "X-2: what is meant to be seen stays as it is, in every script",
        arguments: [
            "", " two  blanks ", "漢字カナ 한국어", "שלום عالم", "क्षत्रिय", "می\u{200C}خواهم", "👩‍👧 👍🏽 1️⃣ 🇩🇪", "é e\u{301}",
            "~/a b/ü\"\\", "\u{FFFD}",
        ]
    )
    func visible(text: String) {
        #expect(Array(ForeignText.line(text).unicodeScalars) == Array(text.unicodeScalars))
    }

    @Test("X-2: of marks that pile up on one letter the first four stay")
    func marks() {
        let pile = "e" + String(repeating: "\u{301}", count: 40)
        #expect(ForeignText.line(pile + "x") == "e\u{301}\u{301}\u{301}\u{301}x")
    }

    @Test("X-2: no character of any plane comes through that a terminal would obey")
    func everyScalar() {
        var found: [UInt32] = []
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            for scalar in ForeignText.line(String(scalar)).unicodeScalars {
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: found.append(value)
                default: break
                }
            }
        }
        #expect(found.isEmpty)
    }

    @Test("X-2: JSON keeps its value, with such characters escaped, beyond the first plane too")
    func json() {
        #expect(ForeignText.escaped(json: "{\"a\":\"ü 漢👩‍👧\"}") == "{\"a\":\"ü 漢👩‍👧\"}")
        // A mark above a letter, and one that chooses between two looks.
        #expect(ForeignText.escaped(json: "\"e\u{301}✉\u{FE0F}\"") == "\"e\u{301}✉\u{FE0F}\"")
        #expect(
            ForeignText.escaped(json: "\"\u{7F}\u{9B}\u{202E}\u{200B}\u{E0067}\"")
                == "\"\\u007f\\u009b\\u202e\\u200b\\udb40\\udc67\""
        )
    }
}
