import LockScreens
import PortcullisCore
import Testing
import WebScreens

@Suite("What a page posts becomes input (W-1)", .timeLimit(.minutes(5)))
struct WebFormTests {
    private func form(_ body: String) throws -> WebForm { try WebForm(Array(body.utf8)) }

    private func words(_ inputs: [ScreenInput]) -> [String] {
        inputs.map { input in
            switch input {
            case .digit(let digit): "digit \(digit)"
            case .character(let character): "character \(character)"
            case .text(let text):
                "text \(text.withBytes { String(decoding: (0..<$0.count).map { _ in 0x2A }, as: UTF8.self) })"
            case .delete: "delete"
            case .submit: "submit"
            case .activate(let id): "activate \(id.rawValue)"
            case .choose(let id, let index): "choose \(id.rawValue) \(index)"
            case .search(let text): "search \(text)"
            case .show(let index): "show \(index)"
            }
        }
    }

    @Test("W-1, P-30: keys, controls, choices, searches and cards, in order")
    func all() throws {
        let form = try form(
            "page=abc&count=7&since=41&tab=t1&digit=3&delete=1&digit=0&activate=forgot&choose=time+out+2&search=a%26b+c&show=3&submit=1"
        )
        #expect(
            form.page == "abc" && form.count == 7 && form.since == 41 && form.tab == "t1" && form.next == nil
        )
        #expect(
            words(form.inputs) == [
                "digit 3", "delete", "digit 0", "activate forgot", "choose time out 2", "search a&b c",
                "show 3",
                "submit",
            ]
        )
    }

    @Test("W-1, A-23: the name of a control comes back from the page with the same bytes")
    func names() throws {
        let names = [
            "app:a\tb", "app:a b", "app:\u{202E}\u{0}", "app:e\u{301}", "app:\u{E9}", "100%25+1", "\"<&>' ",
            "",
        ]
        let choice = ScreenControl.Kind.choice(options: ["option"], selected: 0)
        let controls = names.flatMap { name in
            [
                ScreenControl(ControlID(name), title: "button"),
                ScreenControl(ControlID(name), kind: choice, title: "choice"),
            ]
        }
        let screen = WebScreen(ScreenContent(title: "names", symbol: "lock", controls: controls))
        let buttons = readHTML(WebPage(base: "/", id: "p").html(screen)).elements("button")
        for (input, field) in [("activate", ""), ("choose", " 0")] {
            let values = buttons.filter { $0["name"] == input }.compactMap { $0["value"] }
            #expect(values.count == names.count)
            for (value, name) in zip(values, names) {
                let body = "\(input)=" + value.utf8.map { "%\(hexadecimal($0))" }.joined()
                let found = words(try form(body).inputs).joined()
                #expect(found.utf8.elementsEqual("\(input) \(name)\(field)".utf8), "\(found)")
            }
        }
    }

    private func hexadecimal(_ byte: UInt8) -> String {
        String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }

    @Test("W-1: what a page without script posts is the same")
    func scriptless() throws {
        let form = try form("page=abc&count=1&next=%2Fcustomers%3Fid%3D3&text=&digit=5")
        #expect(form.next == "/customers?id=3")
        #expect(try self.form("page=abc&digit=5").count == 0)
        #expect(words(form.inputs) == ["digit 5"])
    }

    @Test("W-1, P-30: without script the Return key's button comes first, and its text is typed before it")
    func returnKey() throws {
        #expect(words(try form("page=a&count=1&next=%2F&submit=1&text=12").inputs) == ["text **", "submit"])
        let activated = try form("page=a&count=1&next=%2F&activate=ok&search=x&text=1").inputs
        #expect(words(activated) == ["text *", "activate ok", "search x"])
        // A script posts in the order of what was done.
        #expect(words(try form("page=a&submit=1&text=12").inputs) == ["submit", "text **"])
    }

    @Test("P-4: a text goes into protected memory; a blank empties the field")
    func secret() throws {
        let inputs = try form("text=correct+horse%21%C3%A9&submit=1&text=+").inputs
        guard case .text(let text) = inputs[0], case .text(let blank) = inputs[2] else {
            Issue.record("\(words(inputs))")
            return
        }
        #expect(text.matches(SecretBytes(copying: Array("correct horse!é".utf8))))
        #expect(blank.count == 0)
        #expect(!"\(inputs)".contains("horse"))
    }

    @Test(
        "W-2: what is malformed is refused as a whole",
        arguments: [
            "digit", "digit=", "digit=10", "digit=%D9%A3", "digit=-1", "count=1e3", "count=99999999999",
            "since=-1",
            "choose=timeout", "choose=timeout+", "show=x", "unknown=1", "activate=%", "activate=%G0",
            "activate=%4",
            "activate=%FF", "text=%zz", "averyveryverylongname=1", "=1",
        ]
    )
    func malformed(body: String) { #expect(throws: WebForm.Fault.self) { try form(body) } }

    @Test("W-2: a body, its fields and its texts are bounded")
    func bounds() throws {
        #expect(throws: WebForm.Fault.tooLarge) {
            try form(String(repeating: "a", count: WebForm.maximumSize + 1))
        }
        let most = Array(repeating: "digit=1", count: WebForm.maximumFields)
        #expect(try form(most.joined(separator: "&")).inputs.count == WebForm.maximumFields)
        #expect(throws: WebForm.Fault.tooLarge) {
            try form((most + ["digit=1"]).joined(separator: "&"))
        }
        #expect(throws: WebForm.Fault.tooLarge) { try form("text=" + String(repeating: "a", count: 1025)) }
        #expect(throws: WebForm.Fault.tooLarge) {
            try form("text=" + String(repeating: "%C3%A4", count: 513))
        }
        guard case .text(let text)? = try form("text=" + String(repeating: "%C3%A4", count: 512)).inputs.first
        else {
            Issue.record("1,024 bytes are taken, however they are written")
            return
        }
        #expect(text.count == 1024)
        #expect(throws: WebForm.Fault.tooLarge) {
            try form("activate=" + String(repeating: "a", count: 2049))
        }
    }

    @Test("W-2: any bytes are read or refused, and nothing traps")
    func anyBytes() {
        var random = Random(state: 20)
        let alphabet = Array("=&%+0aFdigtextchose \u{0}\u{FF}é".utf8)
        for _ in 0..<20_000 {
            let body = (0..<Int(random.next() % 40)).map { _ in
                alphabet[Int(random.next() % UInt64(alphabet.count))]
            }
            _ = try? WebForm(body)
        }
    }

    private struct Random {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
    }
}
