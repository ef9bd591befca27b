#if Passkeys
import Foundation
import PortcullisCore
import PortcullisTesting
import Testing

@testable import Passkeys

@Suite("JSON of browsers (W-3)")
struct JSONReaderTests {
    private func read(_ bytes: [UInt8]) -> Result<JSONValue, JSONMistake> {
        Result { () throws(JSONMistake) in try JSONReader.value(of: bytes.span) }
    }

    @Test(
        "W-3: what RFC 8259 forbids is refused",
        arguments: [
            ("", .cut), ("{", .cut), ("[1", .cut), ("\"a", .cut), ("\"\\", .cut), ("tru", .cut), ("-", .cut),
            ("1.", .cut),
            ("1e", .cut), ("{\"a\":1", .cut), ("1 2", .rest), ("[] x", .rest), ("01", .rest),
            ("1.5.5", .rest),
            ("'a'", .unexpected), ("{a:1}", .unexpected), ("[1,]", .unexpected), ("{\"a\":1,}", .unexpected),
            ("{\"a\" 1}", .unexpected), ("+1", .unexpected), (".5", .unexpected), ("nul0", .unexpected),
            ("NaN", .unexpected), ("[1 2]", .unexpected), ("\u{FEFF}1", .unexpected),
            ("\"\n\"", .notText), ("{\"\\x\":1}", .notText), ("{\"\\u12\":1}", .notText),
            ("{\"\\ud800\":1}", .notText),
            ("{\"\\udc00\":1}", .notText), ("{\"\\ud83d\\u0041\":1}", .notText),
            ("{\"a\":1,\"a\":2}", .repeatedName), ("{\"a\":1,\"\\u0061\":2}", .repeatedName),
            ("[[[[[[[[[]]]]]]]]]", .tooLarge),
        ] as [(String, JSONMistake)]
    )
    func mistakes(_ text: String, _ mistake: JSONMistake) {
        #expect(read(Array(text.utf8)) == .failure(mistake))
    }

    @Test("W-3: bytes and values are bounded, and bytes that are no UTF-8 are no name")
    func bounds() {
        #expect(read(Array(repeating: 0x20, count: 65_537)) == .failure(.tooLarge))
        let many = "[\(Array(repeating: "1", count: 512).joined(separator: ","))]"
        #expect(read(Array(many.utf8)) == .failure(.tooLarge))
        #expect(read([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D]) == .failure(.notText))
    }

    @Test("W-3: a text is read as it was written, also one that is fit for a page's script")
    func texts() throws {
        for text in [
            "", "plain", "ü語🔑", "</script><!--", "a\"b\\c/d\n\t\u{8}\u{C}\r\u{0}\u{7F}", "\u{2028}&\u{2029}",
        ] {
            let written = Array(JSONText.encode(text).utf8)
            guard case .success(.string(let place, let isEscaped)) = read(written) else {
                Issue.record("a text that was written is not read")
                continue
            }
            #expect(try JSONText.decode(written.span.extracting(place), isEscaped: isEscaped) == text)
            #expect(!String(decoding: written, as: UTF8.self).contains { "<>&\u{2028}".contains($0) })
            #expect(try JSONDecoder().decode(String.self, from: Data(written)) == text)
        }
    }

    @Test(
        "W-3: altered texts are refused or read, never a trap, and what is read Foundation reads too",
        arguments: 0..<4
    )
    func altered(_ seed: Int) {
        var numbers = SeededNumbers(seed: seed)
        let start = Array(
            #"{"type":"webauthn.get","challenge":"AA-_","n":[-1.5e+3,true,null,{"\ud83d\ude00":""}],"b":false}"#
                .utf8
        )
        for _ in 0..<5_000 {
            var bytes = start
            for _ in 0..<Int.random(in: 1...4, using: &numbers) where !bytes.isEmpty {
                let place = Int.random(in: bytes.indices, using: &numbers)
                switch Int.random(in: 0..<3, using: &numbers) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &numbers)
                case 1: bytes.remove(at: place)
                default: bytes.insert(start[Int.random(in: start.indices, using: &numbers)], at: place)
                }
            }
            guard case .success = read(bytes), let text = String(validating: bytes, as: UTF8.self),
                !text.contains("\\")
            else { continue }
            let read = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
            if read == nil { Issue.record("Foundation reads it not: \(text)") }
        }
    }

    @Test("W-3: base 64 for URLs, without padding and with one spelling for bytes")
    func base64() {
        #expect(Base64URL.text(Array("f".utf8)) == "Zg")
        #expect(Base64URL.text(Array("foobar".utf8)) == "Zm9vYmFy")
        #expect(Base64URL.text([0xFB, 0xFF]) == "-_8")
        for bad in ["Z", "Zh", "Zg=", "Zg==", "Z g", "+_8", "-/8", "ü"] {
            #expect(Base64URL.bytes(Array(bad.utf8).span) == nil, "\(bad)")
        }
        var numbers = SeededNumbers(seed: 1)
        for count in 0..<100 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &numbers) }
            let text = Base64URL.text(bytes)
            #expect(Base64URL.bytes(Array(text.utf8).span) == bytes)
            #expect(Base64URL.secret(Array(text.utf8).span)?.withBytes { $0.count } == count)
            let plain = Data(bytes).base64EncodedString().filter { $0 != "=" }
            #expect(text == String(plain.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }))
        }
    }
}
#endif
