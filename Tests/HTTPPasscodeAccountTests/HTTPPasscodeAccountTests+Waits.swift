import HTTPPasscodeAccount
import PortcullisCore
import PortcullisTesting
import Testing

/// How long a server asks to wait, and how it says what is wrong.
extension HTTPPasscodeAccountTests {
    private func failure(
        over kind: AccountTransport,
        _ reply: ScriptedServer.Reply
    ) async throws -> PasscodeAccountError? {
        var found: PasscodeAccountError?
        try await serving(over: kind, reply) { server, transport in
            let account = try account(server, transport)
            do throws(PasscodeAccountError) { _ = try await account.verify(secret("493817")) } catch {
                found = error
            }
        }
        return found
    }

    @Test(
        "P-51: a wait is taken in seconds or as a date, from nothing to a day, and otherwise not at all",
        arguments: [
            ("0", 0), ("86401", 86_400), ("99999999999999999999999", 86_400),
            // The manual clock shows 2026-01-01T12:00:00Z.
            ("Thu, 01 Jan 2026 11:59:59 GMT", 0), ("Thu, 01 Jan 2026 12:00:60 GMT", 60),
            ("Fri, 02 Jan 2026 00:00:00 GMT", 43_200), ("Thu, 01 Jan 2026 12:59:59 GMT", 3_599),
            ("Thu, 01 Jan 2026 23:00:00 GMT", 39_600), ("Thu, 01 Jan 2026 12:60:00 GMT", nil),
            ("Thu, 00 Jan 2026 12:00:00 GMT", nil), ("Sat, 31 Jan 2026 12:00:00 GMT", 86_400),
            ("Sat, 03 Jan 2026 12:00:00 GMT", 86_400), ("Thu, 01 Jan 2026 12:00:61 GMT", nil),
            ("Thu, 32 Jan 2026 12:00:00 GMT", nil), ("Thu, 01 Jan 2026 24:00:00 GMT", nil),
            ("Thu, 01 Jan 2026 12:00:30 GMT more", nil), ("Thu, 01 Jan 2026", nil), ("Thu,", nil),
            ("Thu, 01 Jan 2026 12:00:30 CET", nil), ("-5", nil), ("soon", nil), ("1.5", nil),
        ] as [(String, Int?)],
        AccountTransport.allCases
    )
    func waits(_ pair: (String, Int?), _ kind: AccountTransport) async throws {
        let (field, seconds) = pair
        let error = try await failure(over: kind, .answer(503, "", ["Retry-After": field]))
        #expect(error?.code == .serverFailure)
        #expect(error?.retryAfter == seconds.map { .seconds($0) })
        // Who is throttled waits a minute where nothing is said.
        let throttled = try await failure(over: kind, .answer(429, "", ["Retry-After": field]))
        #expect(throttled?.code == .throttled)
        #expect(throttled?.retryAfter == .seconds(seconds ?? 60))
    }

    @Test(
        "P-51: a problem's text is one line of two hundred characters at the most, and no other type's is taken",
        arguments: AccountTransport.allCases
    )
    func texts(_ kind: AccountTransport) async throws {
        let long = String(repeating: "x", count: 5_000)
        let problem = ["Content-Type": "application/problem+json"]
        let cut = try await failure(over: kind, .answer(422, #"{"detail":"\#(long)"}"#, problem))
        #expect(cut?.message == String(repeating: "x", count: 200))
        let turned = try await failure(over: kind, .answer(422, #"{"detail":"a\nb\u202ec\u2028d"}"#, problem))
        let isLine = turned?.message.unicodeScalars.allSatisfy { ![0x0A, 0x202E, 0x2028].contains($0.value) }
        #expect(isLine == true && turned?.message.last == "d")
        let page = try await failure(
            over: kind,
            .answer(422, #"{"detail":"xyzzy"}"#, ["Content-Type": "text/html"])
        )
        #expect(page?.message.contains("xyzzy") == false)
    }

    @Test(
        "P-51: a count of no failures, a wait below nothing and an unknown word are no answer to a passcode",
        arguments: AccountTransport.allCases
    )
    func senseless(_ kind: AccountTransport) async throws {
        for answer in [
            #"{"outcome":"wrong","failures":0,"retryAfter":0}"#, #"{"outcome":"wrong","failures":1}"#,
            #"{"outcome":"wrong","failures":1,"retryAfter":-1}"#, #"{"outcome":"set"}"#,
        ] {
            try await serving(over: kind, .answer(200, answer)) { server, transport in
                let account = try account(server, transport)
                let found = await codeOfVerify(account)
                #expect(found != nil, "\(answer)")
            }
        }
        try await serving(over: kind, .answer(200, #"{"outcome":"wrong","failures":1,"retryAfter":0}"#)) {
            server,
            transport in
            let account = try account(server, transport)
            #expect(try await account.verify(secret("493817")) == .wrong(failures: 1, retryAfter: .zero))
        }
        // Longer than a year is a year, and no overflow.
        try await serving(
            over: kind,
            .answer(200, #"{"outcome":"wrong","failures":1,"retryAfter":9000000000000000000}"#)
        ) { server, transport in
            let account = try account(server, transport)
            let day = Duration.seconds(86_400)
            #expect(try await account.verify(secret("493817")) == .wrong(failures: 1, retryAfter: day))
        }
    }

    @Test("P-51: the text of a problem is told whatever the status, and one of our own where there is none")
    func ownTexts() async throws {
        let type = ["Content-Type": "application/problem+json"]
        for status in [401, 409, 422, 429, 500, 503] {
            let told = try await failure(over: .urlSession, .answer(status, #"{"title":"Told."}"#, type))
            #expect(told?.message == "Told.", "\(status)")
            let silent = try await failure(over: .urlSession, .answer(status, #"{"detail":""}"#, type))
            #expect(silent?.code == told?.code && silent?.message.isEmpty == false, "\(status)")
        }
    }

    @Test(
        "P-51: a problem's wait is one from nothing to a day, and is told of what was not done",
        arguments: [
            (429, #"{"retryAfter":-5}"#, 0), (429, #"{"retryAfter":90000}"#, 86_400),
            (500, #"{"retryAfter":9,"mayBeCarriedOut":false}"#, 9),
            (500, #"{"retryAfter":9,"mayBeCarriedOut":true}"#, nil), (500, #"{"retryAfter":9}"#, nil),
        ] as [(Int, String, Int?)]
    )
    func problemWaits(_ status: Int, _ body: String, _ seconds: Int?) async throws {
        let type = ["Content-Type": "application/problem+json"]
        let error = try await failure(over: .urlSession, .answer(status, body, type))
        #expect(error?.retryAfter == seconds.map { .seconds($0) })
    }
}
