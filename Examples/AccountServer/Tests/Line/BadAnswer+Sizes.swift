// MARK: Too much, and what is counted wrongly

extension BadAnswer {
    private static func many(_ text: String, _ count: Int) -> Step {
        .drip(Array(String(repeating: text, count: 1000).utf8), count: count / 1000, tenths: 0)
    }

    static let sizes = [
        BadAnswer("a status line without end") { _ in [.text("HTTP/1.1 200 "), many("OK", 4_000_000)] },
        BadAnswer("a field of four megabytes") { _ in
            [.text("HTTP/1.1 200 OK\r\nX: "), many("abcd", 1_000_000), .text("\r\n\r\n")]
        },
        BadAnswer("a million fields") {
            [.text("HTTP/1.1 200 OK\r\n"), many("X: y\r\n", 1_000_000), .text("\($0.length)\r\n\r\n")]
        },
        BadAnswer("a million interim answers") { _ in [many("HTTP/1.1 100 Continue\r\n\r\n", 1_000_000)] },
        BadAnswer("a body of four megabytes") {
            [$0.with("HTTP/1.1 200 OK", "Content-Length: 4000000", body: []), many("    ", 1_000_000)]
        },
        BadAnswer("a body without end") {
            [$0.with("HTTP/1.1 200 OK", "Connection: close", body: []), many("    ", 20_000_000)]
        },
        BadAnswer("chunks without end") {
            [
                $0.with("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", body: []),
                many("1\r\n \r\n", 10_000_000),
            ]
        },
        BadAnswer("a chunk's extension without end") {
            [
                $0.with("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", body: Array("1;".utf8)),
                many("a=bc", 4_000_000),
            ]
        },
        BadAnswer("a trailer without end") {
            [
                $0.with(
                    "HTTP/1.1 200 OK",
                    "Transfer-Encoding: chunked",
                    body: $0.chunk + Array("0\r\nX: ".utf8)
                ),
                many("abcd", 4_000_000),
            ]
        },
    ]

    static let lengths = [
        BadAnswer("a length beyond the body") { [$0.with("HTTP/1.1 200 OK", "Content-Length: 5000")] },
        BadAnswer("a length inside the body") { [$0.with("HTTP/1.1 200 OK", "Content-Length: 5")] },
        BadAnswer("a length of nothing") { [$0.with("HTTP/1.1 200 OK", "Content-Length: 0")] },
        BadAnswer("a length beyond any number", .lostOrAnswer) {
            [$0.with("HTTP/1.1 200 OK", "Content-Length: 99999999999999999999999")]
        },
        BadAnswer("a length below nothing") { [$0.with("HTTP/1.1 200 OK", "Content-Length: -1")] },
        BadAnswer("a length in words", .lostOrAnswer) {
            [$0.with("HTTP/1.1 200 OK", "Content-Length: many")]
        },
        BadAnswer("two lengths", .lostOrAnswer) {
            [$0.with("HTTP/1.1 200 OK", $0.length, "Content-Length: 5")]
        },
        BadAnswer("two lengths, the wrong one first", .lostOrAnswer) {
            [$0.with("HTTP/1.1 200 OK", "Content-Length: 5", $0.length)]
        },
        BadAnswer("a length and chunks", .lostOrAnswer) {
            [
                $0.with(
                    "HTTP/1.1 200 OK",
                    "Content-Length: 5",
                    "Transfer-Encoding: chunked",
                    body: $0.chunk + Array("0\r\n\r\n".utf8)
                )
            ]
        },
        BadAnswer("no length, and the connection closed", .answer) { [$0.with("HTTP/1.1 200 OK")] },
        BadAnswer("chunks", .answer) {
            [
                $0.with(
                    "HTTP/1.1 200 OK",
                    "Transfer-Encoding: chunked",
                    body: $0.chunk + Array("0\r\n\r\n".utf8)
                )
            ]
        },
        BadAnswer("chunks of one byte", .answer) { reply in
            let parts = reply.body.flatMap { Array("1\r\n".utf8) + [$0] + Array("\r\n".utf8) }
            return [
                reply.with(
                    "HTTP/1.1 200 OK",
                    "Transfer-Encoding: chunked",
                    body: parts + Array("0\r\n\r\n".utf8)
                )
            ]
        },
        BadAnswer("chunks without the last one") {
            [$0.with("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", body: $0.chunk)]
        },
        BadAnswer("a chunk of no number") {
            [
                $0.with(
                    "HTTP/1.1 200 OK",
                    "Transfer-Encoding: chunked",
                    body: Array("xyz\r\n{}\r\n0\r\n\r\n".utf8)
                )
            ]
        },
        BadAnswer("a chunk beyond any number") {
            [
                $0.with(
                    "HTTP/1.1 200 OK",
                    "Transfer-Encoding: chunked",
                    body: Array("FFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n".utf8)
                )
            ]
        },
        BadAnswer("a chunk without its end") {
            [
                $0.with(
                    "HTTP/1.1 200 OK",
                    "Transfer-Encoding: chunked",
                    body: Array("2\r\n{}X0\r\n\r\n".utf8)
                )
            ]
        },
    ]
}
