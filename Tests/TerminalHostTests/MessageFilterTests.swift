import Testing

@testable import TerminalHost

@Suite("MessageFilter (P-24)")
struct MessageFilterTests {
    private func filtered(_ chunks: [String]) -> String {
        var filter = MessageFilter()
        var left: [UInt8] = []
        for chunk in chunks {
            var bytes = Array(chunk.utf8)
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe filter.filter($0) }
            left += bytes[..<count]
        }
        return String(decoding: left, as: UTF8.self)
    }

    private static let taken: [(output: String, left: String)] = [
        ("a\u{1B}^text\u{1B}\\b", "a\u{1B}\\\u{1B}\\b"), ("a\u{1B}!text\u{1B}\\b", "a\u{1B}\\\u{1B}\\b"),
        ("\u{1B}!text\u{1B}[1mb", "\u{1B}\\\u{1B}[1mb"), ("\u{1B}(!text", "\u{1B}(\\"),
        ("\u{1B}\u{7}^text", "\u{1B}\u{7}\\"), ("\u{9E}text\u{9C}b", "\u{9C}b"),
        ("\u{1B}\u{9E}text", "\u{1B}\u{9C}"),
        ("\u{1B}^te\u{18}b", "\u{1B}\\b"), ("\u{1B}P\u{1B}!text", "\u{1B}P\u{1B}\\"),
        ("\u{1B}^é\u{1B}\\ü", "\u{1B}\\\u{1B}\\ü"),
        ("\u{1B}\u{1B}^text", "\u{1B}\u{1B}\\"), ("\u{1B}^a\u{1B}!b", "\u{1B}\\\u{1B}\\"),
    ]

    @Test(
        "P-24: a message of GNU screen is taken out, however it begins and wherever output is cut",
        arguments: taken
    )
    func messages(output: String, left: String) {
        #expect(filtered([output]) == left)
        var bytewise = MessageFilter()
        var kept: [UInt8] = []
        for byte in output.utf8 {
            var one = [byte]
            if unsafe one.withUnsafeMutableBytes({ unsafe bytewise.filter($0) }) == 1 { kept += one }
        }
        #expect(String(decoding: kept, as: UTF8.self) == left)
    }

    @Test(
        "P-24: what is no message stays",
        arguments: [
            "text ^ ! é \u{C2}", "\u{1B}[!p", "\u{1B}[1;2m^!", "\u{1B}(0!", "\u{1B}]0;a!^b\u{7}", "\u{1B}7^",
            "\u{1B}\u{18}^",
            "\u{1B}Pq!14~\u{1B}\\", "\u{90}!",
        ]
    )
    func others(output: String) {
        #expect(filtered([output]) == output)
    }

    @Test("P-24: a message without an end takes no more than GNU screen would take for one")
    func endless() {
        let text = String(repeating: "x", count: 3 * MessageFilter.longest)
        #expect(filtered(["\u{1B}^", text, "end"]).hasSuffix("xend"))
    }
}
