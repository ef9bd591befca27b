// MARK: What is hardly HTTP

extension BadAnswer {
    static let versions = [
        BadAnswer("HTTP/0.9") { [.send($0.body)] },
        BadAnswer("HTTP/1.0", .answer) { [$0.with("HTTP/1.0 200 OK", $0.length)] },
        BadAnswer("HTTP/1.0 without a length", .answer) { [$0.with("HTTP/1.0 200 OK")] },
        BadAnswer("HTTP/2 in HTTP/1's clothes", .lostOrAnswer) { [$0.with("HTTP/2 200 OK", $0.length)] },
        BadAnswer("HTTP/9.9", .lostOrAnswer) { [$0.with("HTTP/9.9 200 OK", $0.length)] },
        BadAnswer("another protocol's greeting") { _ in [.text("SSH-2.0-OpenSSH_9.2\r\n")] },
        BadAnswer("a TLS alert") { _ in [.send([0x15, 3, 1, 0, 2, 2, 40])] },
        BadAnswer("zeros") { _ in [.send([UInt8](repeating: 0, count: 4096))] },
        BadAnswer("lines that end with LF alone", .lostOrAnswer) {
            [.text("HTTP/1.1 200 OK\nContent-Type: application/json\n\($0.length)\n\n"), .send($0.body)]
        },
        BadAnswer("lines that end with CR alone") {
            [.text("HTTP/1.1 200 OK\rContent-Type: application/json\r\($0.length)\r\r"), .send($0.body)]
        },
        BadAnswer("a field without a colon", .lostOrAnswer) {
            [$0.with("HTTP/1.1 200 OK", "Colonless", $0.length)]
        },
        BadAnswer("a field without a name", .lostOrAnswer) { [$0.with("HTTP/1.1 200 OK", ": x", $0.length)] },
        BadAnswer("a blank before the colon", .lostOrAnswer) {
            [$0.with("HTTP/1.1 200 OK", "X : y", $0.length)]
        },
        BadAnswer("a folded field", .lostOrAnswer) { [$0.with("HTTP/1.1 200 OK", "X: a\r\n b", $0.length)] },
        BadAnswer("a field with a zero byte", .lostOrAnswer) {
            [$0.with("HTTP/1.1 200 OK", "X: a\0b", $0.length)]
        },
        BadAnswer("a field of other bytes than text", .lostOrAnswer) { reply in
            [
                .text("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX: "), .send([0xFF, 0xFE, 0x80]),
                .text("\r\n\(reply.length)\r\n\r\n"), .send(reply.body),
            ]
        },
    ]

    static let statuses = [
        BadAnswer("a status without a reason", .answer) { [$0.with("HTTP/1.1 200", $0.length)] },
        BadAnswer("a status of two digits") { [$0.with("HTTP/1.1 20 OK", $0.length)] },
        BadAnswer("a status of four digits") { [$0.with("HTTP/1.1 2000 OK", $0.length)] },
        BadAnswer("a status of letters") { [$0.with("HTTP/1.1 2OO OK", $0.length)] },
        BadAnswer("status 0") { [$0.with("HTTP/1.1 000 OK", $0.length)] },
        BadAnswer("status 99, with a length") { [$0.with("HTTP/1.1 099 OK", $0.length), .hang] },
        BadAnswer("status 199") { [$0.with("HTTP/1.1 199 OK", $0.length)] },
        BadAnswer("status 999") { [$0.with("HTTP/1.1 999 OK", $0.length)] },
        BadAnswer("an interim answer first", .answer) {
            [.text("HTTP/1.1 100 Continue\r\n\r\n"), $0.with("HTTP/1.1 200 OK", $0.length)]
        },
        BadAnswer("early hints first", .answer) {
            [.text("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"), $0.with("HTTP/1.1 200 OK", $0.length)]
        },
        BadAnswer("another protocol from here on") { _ in
            [
                .text(
                    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\nhello"
                )
            ]
        },
        BadAnswer("no content, with content") { [$0.with("HTTP/1.1 204 No Content", $0.length)] },
        BadAnswer("not modified") { [$0.with("HTTP/1.1 304 Not Modified", $0.length)] },
        BadAnswer("401 with a Basic challenge", .notSignedIn) { _ in challenge("Basic realm=\"x\"") },
        BadAnswer("401 with a Digest challenge", .notSignedIn) { _ in
            challenge("Digest realm=\"x\", qop=\"auth\", nonce=\"n\", opaque=\"o\"")
        },
        BadAnswer("401 with a Bearer challenge", .notSignedIn) { _ in
            challenge("Bearer error=\"invalid_token\"")
        },
        BadAnswer("401 with a Negotiate challenge", .notSignedIn) { _ in challenge("Negotiate") },
        BadAnswer("401 with a challenge of no sense", .notSignedIn) { _ in challenge(",,=\"") },
        BadAnswer("407 with a challenge", .refused) { _ in
            [.text("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n")]
        },
        BadAnswer("426 with an upgrade", .refused) { _ in
            [.text("HTTP/1.1 426 No\r\nUpgrade: h2c\r\nConnection: upgrade\r\nContent-Length: 0\r\n\r\n")]
        },
        BadAnswer("408, as from a line that was kept", .refused) { _ in
            [.text("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")]
        },
        BadAnswer("503 that asks for a wait beyond any number", .serverFailure) { _ in
            [.text("HTTP/1.1 503 No\r\nRetry-After: 99999999999999999999\r\nContent-Length: 0\r\n\r\n")]
        },
        redirection(301), redirection(302), redirection(303), redirection(307), redirection(308),
    ]

    private static func challenge(_ text: String) -> [Step] {
        [.text("HTTP/1.1 401 No\r\nWWW-Authenticate: \(text)\r\nContent-Length: 0\r\n\r\n")]
    }

    /// A redirection to the line itself. If a client followed it, the line would carry the request again.
    private static func redirection(_ status: Int) -> BadAnswer {
        BadAnswer("\(status) to the same place") { _ in
            let place = "Location: /api/auth/verify-passcode"
            return [.text("HTTP/1.1 \(status) Elsewhere\r\n\(place)\r\nContent-Length: 0\r\n\r\n")]
        }
    }

    static let bodies = [
        BadAnswer("a page in HTML") { _ in
            [.text("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>")]
        },
        BadAnswer("no type") { [.text("HTTP/1.1 200 OK\r\n\($0.length)\r\n\r\n"), .send($0.body)] },
        BadAnswer("JSON that goes too deep") {
            let deep = [UInt8](repeating: UInt8(ascii: "["), count: 60_000)
            return [$0.with("HTTP/1.1 200 OK", "Content-Length: 60000", body: deep)]
        },
        BadAnswer("JSON of another shape") {
            [$0.with("HTTP/1.1 200 OK", "Content-Length: 2", body: Array("[]".utf8))]
        },
        BadAnswer("text that is no UTF-8") {
            let text = Array(#"{"outcome":""#.utf8) + [0xFF, 0xC0] + Array(#""}"#.utf8)
            return [$0.with("HTTP/1.1 200 OK", "Content-Length: \(text.count)", body: text)]
        },
        BadAnswer("an answer before the request", .unreachableOrLost, isEarly: true) { _ in
            [.text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")]
        },
        BadAnswer("two answers before the request", .unreachableOrLost, isEarly: true) { _ in
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
            return [.text(answer + answer), .text(answer)]
        },
        BadAnswer("a connection that is closed at once", .unreachableOrLost, isEarly: true) { _ in [] },
        BadAnswer("a connection that is reset at once", .unreachableOrLost, isEarly: true) { _ in [.reset] },
        BadAnswer("a second answer behind the first", .lostOrAnswer) {
            [
                $0.with("HTTP/1.1 200 OK", $0.length),
                $0.with("HTTP/1.1 401 No", "Content-Length: 0", body: []),
            ]
        },
        BadAnswer("a connection that stays open", .answer) {
            [$0.with("HTTP/1.1 200 OK", $0.length), .hang]
        },
        BadAnswer("a cookie", .answer) {
            [$0.with("HTTP/1.1 200 OK", $0.length, "Set-Cookie: a=b; Max-Age=999")]
        },
        BadAnswer("a body byte by byte", .answer) { reply in
            [reply.with("HTTP/1.1 200 OK", reply.length, body: [])] + reply.body.map { .send([$0]) }
        },
    ]
}
