// MARK: Encodings

extension BadAnswer {
    static let encodings = [
        BadAnswer("a gzip bomb") {
            [$0.with("HTTP/1.1 200 OK", "Content-Encoding: gzip", body: bomb)]
        },
        BadAnswer("a gzip bomb in chunks") {
            [
                $0.with("HTTP/1.1 200 OK", "Content-Encoding: gzip", "Transfer-Encoding: chunked", body: []),
                .text("\(String(bomb.count, radix: 16))\r\n"), .send(bomb), .text("\r\n0\r\n\r\n"),
            ]
        },
        BadAnswer("an answer in gzip that was not asked for") {
            [$0.with("HTTP/1.1 200 OK", "Content-Encoding: gzip", body: gzip($0.body))]
        },
        BadAnswer("an answer in gzip twice") {
            [$0.with("HTTP/1.1 200 OK", "Content-Encoding: gzip, gzip", body: gzip(gzip($0.body)))]
        },
        BadAnswer("an answer that says gzip and is none") {
            [$0.with("HTTP/1.1 200 OK", $0.length, "Content-Encoding: gzip")]
        },
        BadAnswer("an encoding that is not known") {
            [$0.with("HTTP/1.1 200 OK", $0.length, "Content-Encoding: rot13")]
        },
        BadAnswer("an encoding that is none", .answer) {
            [$0.with("HTTP/1.1 200 OK", $0.length, "Content-Encoding: identity")]
        },
        BadAnswer("a transfer in gzip") {
            [$0.with("HTTP/1.1 200 OK", "Transfer-Encoding: gzip, chunked", body: gzip($0.body))]
        },
    ]

    /// A text in a gzip file (RFC 1952) of one stored block (RFC 1951, 3.2.4).
    private static func gzip(_ text: [UInt8]) -> [UInt8] {
        let size = [UInt8(text.count & 0xFF), UInt8(text.count >> 8)]
        let block = [1] + size + size.map { ~$0 } + text
        return header + block + word(checksum(text)) + word(UInt32(text.count))
    }

    private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]

    private static func word(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in
                sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1
            }
        }
    }

    /// A megabyte that decompresses to 160 megabytes of blanks: one blank, then repetitions of the greatest
    /// length.
    private static let bomb: [UInt8] = {
        var (bytes, byte, count) = (header, UInt8(0), 0)
        func put(_ bits: String) {
            for bit in bits.utf8 {
                if bit == UInt8(ascii: "1") { byte |= 1 << count }
                count += 1
                if count == 8 {
                    bytes.append(byte)
                    (byte, count) = (0, 0)
                }
            }
        }
        // The last block, of fixed codes; a blank; then length 258 at distance 1 (RFC 1951, 3.2.6).
        put("110")
        put("01010000")
        while bytes.count < 1_000_000 { put("1100010100000") }
        put("0000000")
        return bytes + [byte] + [UInt8](repeating: 0, count: 8)
    }()
}
