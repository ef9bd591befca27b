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

    /// What checking a passcode ends with; `nil` when there is an answer.
    func codeOfVerify(_ account: HTTPPasscodeAccount) async -> PasscodeAccountError.Code? {
        await code { () throws(PasscodeAccountError) in _ = try await account.verify(secret("493817")) }
    }

    /// What asking for the status ends with; `nil` when there is an answer.
    func codeOfStatus(_ account: HTTPPasscodeAccount) async -> PasscodeAccountError.Code? {
        await code { () throws(PasscodeAccountError) in _ = try await account.status() }
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
            .answer(204, ""),
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
            try await account.logOutEverywhere()

            let arrivals = server.arrivals
            #expect(
                arrivals.map(\.line) == [
                    "GET /api/auth/passcode-status HTTP/1.1", "POST /api/auth/set-passcode HTTP/1.1",
                    "POST /api/auth/change-passcode HTTP/1.1", "POST /api/auth/verify-passcode HTTP/1.1",
                    "POST /api/auth/update-settings HTTP/1.1", "POST /api/auth/update-settings HTTP/1.1",
                    "POST /api/auth/update-settings HTTP/1.1", "POST /api/auth/request-reset HTTP/1.1",
                    "POST /api/auth/reset-passcode HTTP/1.1", "POST /api/auth/log-out HTTP/1.1",
                    "POST /api/auth/log-out-everywhere HTTP/1.1",
                ]
            )
            #expect(
                arrivals.map(\.body) == [
                    "", #"{"passcode":"493817","revision":"r1"}"#,
                    #"{"current":"493817","new":"5\"\\\u0001","revision":"r1"}"#, #"{"passcode":"111111"}"#,
                    #"{"timeoutMinutes":5}"#, #"{"timeoutMinutes":"never"}"#,
                    #"{"hasPasscode":false,"current":"493817","revision":"r1"}"#, "{}",
                    #"{"code":"000111","request":"q1","new":"493817","revision":"r1"}"#, "{}", "{}",
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
            #expect(await codeOfVerify(account) == expected)
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
            .answer(500, #"{"title":"Broken","mayBeCarriedOut":false}"#, type),
            .answer(503, #"{"title":"Unsettled","mayBeCarriedOut":true,"retryAfter":5}"#, type),
            .answer(503, #"{"title":"Full","mayBeCarriedOut":false}"#, type),
            .answer(501, #"{"title":"Unsettled","mayBeCarriedOut":true}"#, type),
            .answer(511, #"{"title":"Unsettled","mayBeCarriedOut":true}"#, type)
        ) { server, transport in
            // The manual clock shows 2026-01-01T12:00:00Z.
            let account = try account(server, transport)
            var errors: [PasscodeAccountError] = []
            for _ in 0..<9 {
                do throws(PasscodeAccountError) { _ = try await account.verify(secret("493817")) } catch {
                    errors.append(error)
                }
            }
            #expect(
                errors.map(\.code) == [
                    .refused, .throttled, .throttled, .serverFailure, .serverFailure, .outcomeUnknown,
                    .serverFailure, .outcomeUnknown, .outcomeUnknown,
                ]
            )
            #expect(errors[0].message == "A passcode\u{FFFD} has 6 digits.")
            #expect(
                errors.map(\.retryAfter)
                    == [nil, .seconds(7), .seconds(90), .seconds(30)] + Array(repeating: nil, count: 5)
            )
        }
    }
}
