import HTTPPasscodeAccount
import PortcullisCore
import Testing

/// Lines that break, hang, lead elsewhere or bring too much.
extension HTTPPasscodeAccountTests {
    @Test(
        "P-51: an act whose answer is lost may have been carried out, and is sent once",
        arguments: AccountTransport.allCases
    )
    func lostAnswer(_ kind: AccountTransport) async throws {
        let right = #"{"outcome":"right"}"#
        let replies: [ScriptedServer.Reply] = [
            .hangUp, .raw("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{\"out"),
            .raw("not HTTP at all\r\n\r\n"),
            .answer(200, "gibberish"), .answer(200, #"{"outcome":"wrong"}"#),
            .answer(200, "<html>", ["Content-Type": "text/html"]),
            // What would be an answer, if it were whole, JSON, unpacked and of another status.
            .raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n\(right)"),
            .answer(200, right, ["Content-Type": "text/html"]),
            .answer(200, right, ["Content-Encoding": "identity, x-other"]), .answer(300, right),
        ]
        for reply in replies {
            try await serving(over: kind, reply) { server, transport in
                let account = try account(server, transport)
                let code = await codeOfVerify(account)
                #expect(code == .outcomeUnknown, "\(reply)")
                #expect(server.arrivals.count == 1)
            }
        }
    }

    @Test(
        "P-51: an act is not sent again on a connection that was kept",
        arguments: AccountTransport.allCases
    )
    func keptConnection(_ kind: AccountTransport) async throws {
        try await serving(
            over: kind,
            .answer(200, #"{"outcome":"right"}"#),
            .hangUp,
            .answer(200, #"{"outcome":"right"}"#)
        ) { server, transport in
            let account = try account(server, transport)
            #expect(try await account.verify(secret("493817")) == .right)
            #expect(await codeOfVerify(account) == .outcomeUnknown)
            #expect(server.arrivals.count == 2)
        }
    }

    @Test("P-51: what could not be sent was not carried out", arguments: AccountTransport.allCases)
    func unreachable(_ kind: AccountTransport) async throws {
        let server = try ScriptedServer()
        server.stop()
        try await kind.run { transport in
            let account = try account(server, transport)
            #expect(await codeOfVerify(account) == .unreachable)
            #expect(await codeOfStatus(account) == .unreachable)
        }
    }

    @Test(
        "P-51: a server that says nothing or answers in drips is waited for so long and no longer",
        arguments: AccountTransport.allCases
    )
    func slow(_ kind: AccountTransport) async throws {
        let short = HTTPTransportLimits(idleTimeout: .seconds(10), timeout: .seconds(12))
        for reply in [ScriptedServer.Reply.silence, .drip(#"{"outcome":"right"}"#)] {
            try await serving(over: kind, limits: short, reply, reply) { server, transport in
                let account = try account(server, transport)
                #expect(await codeOfVerify(account) == .outcomeUnknown, "\(reply)")
                #expect(await codeOfStatus(account) == .unreachable, "\(reply)")
                #expect(server.arrivals.count == 2)
            }
        }
    }

    @Test(
        "P-50: an answer as large as it may be is taken, a larger one cut off",
        arguments: AccountTransport.allCases
    )
    func largeAnswer(_ kind: AccountTransport) async throws {
        let answer = #"{"outcome":"right"}"#
        func filled(_ count: Int) -> ScriptedServer.Reply {
            .answer(200, String(repeating: " ", count: count - answer.utf8.count) + answer)
        }
        let most = HTTPTransportLimits().largestAnswer
        try await serving(over: kind, filled(most), filled(most + 1), filled(100_000), filled(100_000)) {
            server,
            transport in
            let account = try account(server, transport)
            #expect(await codeOfVerify(account) == nil)
            for _ in 0..<2 { #expect(await codeOfVerify(account) == .outcomeUnknown) }
            // The transport says so, and not the one who reads the answer.
            let request = HTTPTransportRequest(.get, server.url)
            let error = await #expect(throws: HTTPTransportError.self) { try await transport.send(request) }
            #expect(error?.code == .invalidAnswer && error?.mayBeCarriedOut == true)
        }
    }

    @Test("P-50: a redirection is not followed with a passcode", arguments: AccountTransport.allCases)
    func redirection(_ kind: AccountTransport) async throws {
        let other = try ScriptedServer(.answer(200, #"{"outcome":"right"}"#))
        defer { other.stop() }
        let elsewhere = ScriptedServer.Reply.answer(307, "", ["Location": "\(other.url)/elsewhere"])
        try await serving(over: kind, elsewhere, elsewhere) { server, transport in
            let account = try account(server, transport)
            #expect(await codeOfVerify(account) == .outcomeUnknown)
            #expect(await codeOfStatus(account) == .invalidAnswer, "the redirection is the answer")
            #expect(other.arrivals.isEmpty)
        }
    }
}
