import Testing

/// A fault that a line makes of a server's answer, and the outcome that is right for a client.
struct BadAnswer: Sendable, CustomTestStringConvertible {
    /// The server's unchanged answer.
    struct Reply: Sendable {
        /// The status line and the fields, without the empty line after them.
        var head: [UInt8]
        var body: [UInt8]
    }

    /// One step of what happens on the connection.
    enum Step: Sendable {
        case send([UInt8])
        /// The same bytes repeatedly, with a pause of tenths of a second after each time.
        case drip([UInt8], count: Int, tenths: Int)
        /// No byte, until the client gives up.
        case hang
        /// The connection is reset; without this step it is closed.
        case reset
    }

    /// The right outcome of an act.
    enum Meaning: Sendable {
        /// The outcome is not known.
        case lost
        /// The outcome that the server sent.
        case answer
        /// Either of the two. The standards leave it open.
        case lostOrAnswer
        case notSignedIn
        case refused
        case serverFailure
        /// The request may not even have been sent.
        case unreachableOrLost
    }

    let name: String
    let meaning: Meaning
    /// Whether the answer is so slow that the client has to give up.
    let isSlow: Bool
    /// Whether the answer precedes the reading of the request. The request is then not carried out.
    let isEarly: Bool
    /// Whether the connection ends within the answer's head.
    var isCutInHead = false
    let steps: @Sendable (Reply) -> [Step]

    init(
        _ name: String,
        _ meaning: Meaning = .lost,
        isSlow: Bool = false,
        isEarly: Bool = false,
        _ steps: @escaping @Sendable (Reply) -> [Step]
    ) {
        (self.name, self.meaning, self.isSlow, self.isEarly) = (name, meaning, isSlow, isEarly)
        self.steps = steps
    }

    var testDescription: String { name }

    static let all = cuts + hangs + sizes + lengths + encodings + versions + statuses + bodies
}

extension BadAnswer.Step {
    static func text(_ text: String) -> Self { .send(Array(text.utf8)) }
}

extension BadAnswer.Reply {
    /// An answer with another status line, and with other fields besides its type.
    func with(
        _ status: String = "HTTP/1.1 200 OK",
        _ fields: String...,
        body: [UInt8]? = nil
    ) -> BadAnswer.Step {
        let lines = [status, "Content-Type: application/json"] + fields
        return .send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (body ?? self.body))
    }

    var whole: [UInt8] { head + Array("\r\n\r\n".utf8) + body }
    var length: String { "Content-Length: \(body.count)" }
    /// The body as one chunk of a chunked body.
    var chunk: [UInt8] { Array("\(String(body.count, radix: 16))\r\n".utf8) + body + Array("\r\n".utf8) }
}

// MARK: Cuts and silences

extension BadAnswer {
    private static let cuts = [
        BadAnswer("closed without a word") { _ in [] },
        BadAnswer("reset without a word") { _ in [.reset] },
        BadAnswer("reset inside the head") { [.send(Array($0.head.prefix(20))), .reset] },
        BadAnswer("closed after the head") { [$0.with("HTTP/1.1 200 OK", $0.length, body: [])] },
        BadAnswer("closed inside the body") {
            [$0.with("HTTP/1.1 200 OK", $0.length, body: Array($0.body.prefix(8)))]
        },
        BadAnswer("reset inside the body") {
            [$0.with("HTTP/1.1 200 OK", $0.length, body: Array($0.body.prefix(8))), .reset]
        },
    ]

    /// An answer that ends after this many bytes of the head.
    static func cut(at count: Int) -> BadAnswer {
        var answer = BadAnswer("cut at byte \(count) of the head") {
            [.send(Array(($0.head + Array("\r\n\r\n".utf8)).prefix(count)))]
        }
        answer.isCutInHead = true
        return answer
    }

    private static let hangs = [
        BadAnswer("silence", isSlow: true) { _ in [.hang] },
        BadAnswer("silence inside the status line", isSlow: true) { _ in [.text("HTTP/1.1 2"), .hang] },
        BadAnswer("silence inside the head", isSlow: true) { [.send(Array($0.head.prefix(30))), .hang] },
        BadAnswer("silence after the head", isSlow: true) {
            [$0.with("HTTP/1.1 200 OK", $0.length, body: []), .hang]
        },
        BadAnswer("silence inside the body", isSlow: true) {
            [$0.with("HTTP/1.1 200 OK", $0.length, body: Array($0.body.prefix(8))), .hang]
        },
        BadAnswer("silence inside a chunk", isSlow: true) {
            [$0.with("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", body: Array("5\r\n{".utf8)), .hang]
        },
        BadAnswer("a head in drips", isSlow: true) { _ in
            [.text("HTTP/1.1 200 OK\r\n"), .drip(Array("X: y\r\n".utf8), count: 600, tenths: 1)]
        },
        BadAnswer("a body in drips", isSlow: true) {
            [
                $0.with("HTTP/1.1 200 OK", "Content-Length: 9000", body: []),
                .drip([0x20], count: 600, tenths: 1),
            ]
        },
        BadAnswer("chunks in drips", isSlow: true) {
            [
                $0.with("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", body: []),
                .drip(Array("1\r\n \r\n".utf8), count: 600, tenths: 1),
            ]
        },
        BadAnswer("interim answers in drips", isSlow: true) { _ in
            [.drip(Array("HTTP/1.1 102 Processing\r\n\r\n".utf8), count: 600, tenths: 1)]
        },
    ]
}
