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
        let replies: [ScriptedServer.Reply] = [
            .hangUp, .raw("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{\"out"),
            .raw("not HTTP at all\r\n\r\n"),
            .answer(200, "gibberish"), .answer(200, #"{"outcome":"wrong"}"#),
            .answer(200, "<html>", ["Content-Type": "text/html"]),
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

    @Test("P-50: an answer that is too large is cut off", arguments: AccountTransport.allCases)
    func largeAnswer(_ kind: AccountTransport) async throws {
        let large = String(repeating: " ", count: 100_000)
        try await serving(over: kind, .answer(200, large), .answer(200, large)) { server, transport in
            let account = try account(server, transport)
            #expect(await codeOfVerify(account) == .outcomeUnknown)
            #expect(await codeOfStatus(account) == .invalidAnswer)
        }
    }

    @Test("P-50: a redirection is not followed with a passcode", arguments: AccountTransport.allCases)
    func redirection(_ kind: AccountTransport) async throws {
        let other = try ScriptedServer(.answer(200, #"{"outcome":"right"}"#))
        defer { other.stop() }
        try await serving(over: kind, .answer(307, "", ["Location": "\(other.url)/elsewhere"])) {
            server,
            transport in
            let account = try account(server, transport)
            #expect(await codeOfVerify(account) == .outcomeUnknown)
            #expect(other.arrivals.isEmpty)
        }
    }
}
