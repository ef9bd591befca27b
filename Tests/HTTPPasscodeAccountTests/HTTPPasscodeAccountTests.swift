import Foundation
import HTTPPasscodeAccount
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("Accounts over HTTP", .timeLimit(.minutes(5)))
struct HTTPPasscodeAccountTests {
    static let token = "t0ken-of-the-session"
    let revision = AccountRevision("r1")!

    func secret(_ text: String) -> SecretBytes { SecretBytes(copying: text.utf8) }

    func account(
        _ server: ScriptedServer,
        _ transport: any HTTPTransport,
        _ configuration: HTTPAccountConfiguration = HTTPAccountConfiguration(backoff: []),
        clock: any LockClock = ManualClock(),
        token: String? = token
    ) throws -> HTTPPasscodeAccount {
        try HTTPPasscodeAccount(
            server: server.url,
            transport: transport,
            configuration: configuration,
            clock: clock,
            jitter: { 0 },
            token: { token.map { SecretBytes(copying: $0.utf8) } }
        )
    }

    /// Runs a body with a server and a transport that end afterwards.
    func serving(
        over kind: AccountTransport,
        limits: HTTPTransportLimits = HTTPTransportLimits(),
        _ replies: ScriptedServer.Reply...,
        body: (ScriptedServer, any HTTPTransport) async throws -> Void
    ) async throws {
        let server = try ScriptedServer()
        for reply in replies { server.add(reply) }
        defer { server.stop() }
        try await kind.run(limits) { try await body(server, $0) }
    }

    func code(_ body: () async throws(PasscodeAccountError) -> Void) async -> PasscodeAccountError
        .Code?
    {
        do throws(PasscodeAccountError) {
            try await body()
            return nil
        } catch {
            return error.code
        }
    }

    // MARK: What is sent and understood

    @Test(
        "P-50: each request has its path, its members and the session's token",
        arguments: AccountTransport.allCases
    )
    func requests(_ kind: AccountTransport) async throws {
        let wrong = #"{"outcome":"wrong","failures":5,"retryAfter":60}"#
        try await serving(
            over: kind,
            .answer(200, #"{"hasPasscode":true,"isEnabled":true,"timeoutMinutes":"never","revision":"r0"}"#),
            .answer(200, #"{"outcome":"set"}"#),
            .answer(200, #"{"outcome":"right"}"#),
            .answer(200, wrong),
            .answer(200, #"{"outcome":"right"}"#),
            .answer(200, #"{"outcome":"right"}"#),
            .answer(200, #"{"outcome":"notSet"}"#),
            .answer(202, #"{"request":"q1"}"#),
            .answer(200, #"{"outcome":"refused"}"#),
            .answer(204, "")
        ) { server, transport in
            let account = try account(server, transport)
            let status = try await account.status()
            #expect(
                status
                    == AccountPasscodeStatus(
                        hasPasscode: true,
                        timeout: .never,
                        revision: AccountRevision("r0")
                    )
            )
            #expect(try await account.set(secret("493817"), as: revision) == .set)
            #expect(
                try await account.change(from: secret("493817"), to: secret("5\"\\\u{1}"), as: revision)
                    == .right
            )
            #expect(
                try await account.verify(secret("111111")) == .wrong(failures: 5, retryAfter: .seconds(60))
            )
            #expect(try await account.update(.timeout(.minutes(5))) == .right)
            #expect(try await account.update(.timeout(.never)) == .right)
            #expect(
                try await account.update(.switchOff(current: secret("493817"), revision: revision)) == .notSet
            )
            let request = try await account.requestReset()
            #expect(request.rawValue == "q1")
            #expect(
                try await account.reset(
                    code: secret("000111"),
                    of: request,
                    to: secret("493817"),
                    as: revision
                ) == .refused
            )
            try await account.logOut()

            let arrivals = server.arrivals
            #expect(
                arrivals.map(\.line) == [
                    "GET /api/auth/passcode-status HTTP/1.1", "POST /api/auth/set-passcode HTTP/1.1",
                    "POST /api/auth/change-passcode HTTP/1.1", "POST /api/auth/verify-passcode HTTP/1.1",
                    "POST /api/auth/update-settings HTTP/1.1", "POST /api/auth/update-settings HTTP/1.1",
                    "POST /api/auth/update-settings HTTP/1.1", "POST /api/auth/request-reset HTTP/1.1",
                    "POST /api/auth/reset-passcode HTTP/1.1", "POST /api/auth/log-out HTTP/1.1",
                ]
            )
            #expect(
                arrivals.map(\.body) == [
                    "", #"{"passcode":"493817","revision":"r1"}"#,
                    #"{"current":"493817","new":"5\"\\\u0001","revision":"r1"}"#, #"{"passcode":"111111"}"#,
                    #"{"timeoutMinutes":5}"#, #"{"timeoutMinutes":"never"}"#,
                    #"{"hasPasscode":false,"current":"493817","revision":"r1"}"#, "{}",
                    #"{"code":"000111","request":"q1","new":"493817","revision":"r1"}"#, "{}",
                ]
            )
            #expect(arrivals.allSatisfy { $0.fields["authorization"] == "Bearer \(Self.token)" })
            #expect(arrivals.dropFirst().allSatisfy { $0.fields["content-type"] == "application/json" })
        }
    }

    @Test(
        "P-51: each status of an act is an error of its own",
        arguments: [
            (401, .notSignedIn), (409, .conflict), (429, .throttled),
            (503, .serverFailure),
            (400, .refused), (404, .refused), (422, .refused), (500, .outcomeUnknown), (502, .outcomeUnknown),
            (504, .outcomeUnknown), (302, .outcomeUnknown),
            // Of a proxy's own making: one of them waited for the server in vain.
            (524, .outcomeUnknown), (520, .outcomeUnknown), (599, .outcomeUnknown), (501, .serverFailure),
            (511, .serverFailure),
        ] as [(Int, PasscodeAccountError.Code)],
        AccountTransport.allCases
    )
    func statuses(_ pair: (Int, PasscodeAccountError.Code), _ kind: AccountTransport) async throws {
        let (status, expected) = pair
        try await serving(over: kind, .answer(status, "")) { server, transport in
            let account = try account(server, transport)
            #expect(
                await code { () throws(PasscodeAccountError) in _ = try await account.verify(secret("493817"))
                } == expected
            )
            #expect(server.arrivals.count == 1)
        }
    }

    @Test(
        "P-51: a problem document gives the message, the wait, and what became of the act",
        arguments: AccountTransport.allCases
    )
    func problems(_ kind: AccountTransport) async throws {
        let type = ["Content-Type": "application/problem+json"]
        try await serving(
            over: kind,
            .answer(422, #"{"title":"No","detail":"A passcode\u001b has 6 digits."}"#, type),
            .answer(429, #"{"title":"Wait","retryAfter":7}"#, type),
            .answer(429, "", ["Retry-After": "90"]),
            .answer(503, "", ["Retry-After": "Thu, 01 Jan 2026 12:00:30 GMT"]),
            .answer(500, #"{"title":"Broken","mayBeCarriedOut":false}"#, type)
        ) { server, transport in
            // The manual clock shows 2026-01-01T12:00:00Z.
            let account = try account(server, transport)
            var errors: [PasscodeAccountError] = []
            for _ in 0..<5 {
                do throws(PasscodeAccountError) { _ = try await account.verify(secret("493817")) } catch {
                    errors.append(error)
                }
            }
            #expect(errors.map(\.code) == [.refused, .throttled, .throttled, .serverFailure, .serverFailure])
            #expect(errors[0].message == "A passcode\u{FFFD} has 6 digits.")
            #expect(errors.map(\.retryAfter) == [nil, .seconds(7), .seconds(90), .seconds(30), nil])
        }
    }

    // MARK: Lost lines

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
                let code = await code { () throws(PasscodeAccountError) in
                    _ = try await account.verify(secret("493817"))
                }
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
            #expect(
                await code { () throws(PasscodeAccountError) in _ = try await account.verify(secret("493817"))
                } == .outcomeUnknown
            )
            #expect(server.arrivals.count == 2)
        }
    }

    @Test("P-51: what could not be sent was not carried out", arguments: AccountTransport.allCases)
    func unreachable(_ kind: AccountTransport) async throws {
        let server = try ScriptedServer()
        server.stop()
        try await kind.run { transport in
            let account = try account(server, transport)
            #expect(
                await code { () throws(PasscodeAccountError) in _ = try await account.verify(secret("493817"))
                } == .unreachable
            )
            #expect(
                await code { () throws(PasscodeAccountError) in _ = try await account.status() }
                    == .unreachable
            )
        }
    }

    @Test(
        "P-51: a server that says nothing is waited for so long and no longer",
        arguments: AccountTransport.allCases
    )
    func silence(_ kind: AccountTransport) async throws {
        let short = HTTPTransportLimits(idleTimeout: .seconds(1), timeout: .seconds(1))
        try await serving(over: kind, limits: short, .silence, .silence) { server, transport in
            let account = try account(server, transport)
            #expect(
                await code { () throws(PasscodeAccountError) in _ = try await account.verify(secret("493817"))
                } == .outcomeUnknown
            )
            #expect(
                await code { () throws(PasscodeAccountError) in _ = try await account.status() }
                    == .unreachable
            )
        }
    }

    @Test(
        "P-51: an answer that comes in drips is waited for so long and no longer",
        arguments: AccountTransport.allCases
    )
    func drips(_ kind: AccountTransport) async throws {
        let short = HTTPTransportLimits(idleTimeout: .seconds(2), timeout: .seconds(3))
        try await serving(over: kind, limits: short, .drip(#"{"outcome":"right"}"#)) { server, transport in
            let account = try account(server, transport)
            #expect(
                await code { () throws(PasscodeAccountError) in _ = try await account.verify(secret("493817"))
                } == .outcomeUnknown
            )
            #expect(server.arrivals.count == 1)
        }
    }

    @Test("P-50: an answer that is too large is cut off", arguments: AccountTransport.allCases)
    func largeAnswer(_ kind: AccountTransport) async throws {
        let large = String(repeating: " ", count: 100_000)
        try await serving(over: kind, .answer(200, large), .answer(200, large)) { server, transport in
            let account = try account(server, transport)
            #expect(
                await code { () throws(PasscodeAccountError) in _ = try await account.verify(secret("493817"))
                } == .outcomeUnknown
            )
            #expect(
                await code { () throws(PasscodeAccountError) in _ = try await account.status() }
                    == .invalidAnswer
            )
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
            #expect(
                await code { () throws(PasscodeAccountError) in _ = try await account.verify(secret("493817"))
                } == .outcomeUnknown
            )
            #expect(other.arrivals.isEmpty)
        }
    }

    // MARK: Tries

    private static let fine = #"{"hasPasscode":false,"isEnabled":true,"timeoutMinutes":15,"revision":null}"#

    @Test(
        "P-51: the status is asked for again after a pause that the server may lengthen",
        arguments: AccountTransport.allCases
    )
    func retries(_ kind: AccountTransport) async throws {
        try await serving(
            over: kind,
            .hangUp,
            .answer(503, "", ["Retry-After": "3"]),
            .answer(200, Self.fine)
        ) {
            server,
            transport in
            let clock = ManualClock()
            let account = try account(server, transport, HTTPAccountConfiguration(), clock: clock)
            async let status = account.status()
            await clock.waitForSleepers(1)
            await clock.advance(by: .milliseconds(499))
            #expect(server.arrivals.count == 1)
            await clock.advance(by: .milliseconds(1))
            await clock.waitForSleepers(1)
            #expect(server.arrivals.count == 2)
            await clock.advance(by: .milliseconds(2_999))
            #expect(server.arrivals.count == 2)
            await clock.advance(by: .milliseconds(1))
            #expect(try await status.hasPasscode == false)
            #expect(server.arrivals.count == 3)
        }
    }

    @Test(
        "P-51: after the last try, and where the wait is too long, the error is told",
        arguments: AccountTransport.allCases
    )
    func givesUp(_ kind: AccountTransport) async throws {
        try await serving(
            over: kind,
            .hangUp,
            .hangUp,
            .hangUp,
            .answer(503, "", ["Retry-After": "600"]),
            .answer(401, "")
        ) { server, transport in
            let quick = HTTPAccountConfiguration(backoff: [.zero, .zero])
            let account = try account(server, transport, quick)
            #expect(
                await code { () throws(PasscodeAccountError) in _ = try await account.status() }
                    == .unreachable
            )
            #expect(server.arrivals.count == 3)
            #expect(
                await code { () throws(PasscodeAccountError) in _ = try await account.status() }
                    == .serverFailure
            )
            #expect(
                await code { () throws(PasscodeAccountError) in _ = try await account.status() }
                    == .notSignedIn
            )
            #expect(server.arrivals.count == 5)
        }
    }

    @Test(
        "P-50: a cancelled act that was sent may have been carried out; one that was not, was not",
        arguments: AccountTransport.allCases
    )
    func cancellation(_ kind: AccountTransport) async throws {
        try await serving(over: kind, .silence) { server, transport in
            let account = try account(server, transport)
            let passcode = secret("493817")
            let sent = Task {
                await code { () throws(PasscodeAccountError) in _ = try await account.verify(passcode) }
            }
            while server.arrivals.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            sent.cancel()
            #expect(await sent.value == .outcomeUnknown)

            let unsent = Task {
                while !Task.isCancelled { await Task.yield() }
                return await code { () throws(PasscodeAccountError) in _ = try await account.verify(passcode)
                }
            }
            unsent.cancel()
            #expect(await unsent.value == .cancelled)
            #expect(server.arrivals.count == 1)
        }
    }
}
