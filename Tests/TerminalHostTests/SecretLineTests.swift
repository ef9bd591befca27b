import PortcullisCore
import TerminalScreens
import Testing

@testable import TerminalHost

@Suite("SecretLine (P-4, P-31, K-1)")
struct SecretLineTests {
    /// What a line is once these bytes were typed, and whether one of them ended it.
    private func typed(
        _ bytes: [UInt8],
        keepsControls: Bool = true
    ) -> (bytes: [UInt8], isTooLong: Bool, isEnded: Bool) {
        var line = SecretLine(keepsControls: keepsControls)
        var decoder = InputDecoder()
        var isEnded = false
        for byte in bytes where !isEnded {
            isEnded = line.take(SecretBytes(copying: [byte]), by: &decoder)
        }
        var all: [UInt8] = []
        line.bytes.withBytes { span in for index in span.indices { all.append(span[index]) } }
        return (all, line.isTooLong, isEnded)
    }

    private func typed(_ text: String) -> String {
        String(decoding: typed(Array(text.utf8)).bytes, as: UTF8.self)
    }

    @Test("P-31: the key that deletes takes the last character away, of however many bytes it is")
    func characters() {
        #expect(typed("é\u{7F}e") == "e")
        #expect(typed("a👍\u{8}Z") == "aZ")
        #expect(typed("\u{7F}a\u{15}b") == "b")
        #expect(typed("ab\u{1B}[3~") == "a")
    }

    @Test("K-1: marks of a paste, keys without text and replies are no part of a value")
    func sequences() {
        #expect(typed("\u{1B}[200~pasted é\u{1B}[201~") == "pasted é")
        #expect(typed("p\u{1B}[Dq\u{1B}OAr\u{1B}]11;rgb:1/2/3\u{7}s\u{1B}[I") == "pqrs")
        #expect(typed("\u{1B}[49u\u{1B}[49;1:3u\u{1B}Oq") == "11")
        #expect(typed("a\u{9B}12;40Rb") == "ab", "a reply in eight bits")
    }

    @Test("K-1: text in another encoding and control characters are kept, where a value is typed")
    func otherBytes() {
        #expect(typed([0x63, 0xE9, 0x65, 0xA9, 0x0D]).bytes == [0x63, 0xE9, 0x65, 0xA9])
        #expect(typed([0x61, 0x09, 0x00, 0x17]).bytes == [0x61, 0x09, 0x00, 0x17])
        #expect(typed([0x61, 0x09, 0x1D], keepsControls: false).bytes == [0x61])
    }

    @Test(
        "P-31: Return ends a line, as Ctrl-D and a pasted end of line do",
        arguments: ["\r", "\n", "\u{4}"]
    )
    func ends(end: String) {
        let line = typed(Array("ab\(end)cd".utf8))
        #expect(line.isEnded && line.bytes == Array("ab".utf8))
        #expect(typed(Array("ab\u{1B}[13u".utf8)).isEnded)
        #expect(typed(Array("\u{1B}[200~ab\r".utf8)).isEnded)
    }

    @Test("K-1: a line is too long from the 1025th byte on, until the characters behind are taken back")
    func tooLong() {
        let full = [UInt8](repeating: 0x78, count: SecretLine.longest)
        #expect(!typed(full).isTooLong)
        #expect(typed(full + [0x78]).isTooLong)
        let back = typed(full + Array("123456".utf8) + [UInt8](repeating: 0x7F, count: 8) + Array("y".utf8))
        #expect(!back.isTooLong && back.bytes == full.dropLast(2) + Array("y".utf8))
        let cut = typed(full.dropLast() + Array("é".utf8))
        #expect(cut.isTooLong)
        let wide = typed(full.dropLast() + Array("éé👍".utf8) + [0x7F, 0x7F, 0x7F])
        #expect(!wide.isTooLong && wide.bytes == full.dropLast())
        #expect(typed(full + [0x78, 0x15]).bytes.isEmpty)
    }
}
