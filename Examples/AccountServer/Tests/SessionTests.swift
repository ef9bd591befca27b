import AccountService
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("Sessions", .timeLimit(.minutes(5)))
struct SessionTests {
    @Test("P-52: staff and customers sign in with a mailed code, and log out")
    func signsIn() async throws {
        try await ServerHouse.open { house in
            for (email, role, id) in [
                ("anna@example.com", "staff", "anna"), ("carl@example.com", "customer", "carl"),
            ] {
                let token = try await house.signIn(email, role)
                let who = try await house.client.send("GET", "/api/auth/session", token: token)
                #expect(who.json?["id"] as? String == id && who.json?["role"] as? String == role)
                #expect(try await house.client.send("POST", "/api/auth/log-out", token: token).status == 204)
                #expect(try await house.client.status(token).problem == "not-signed-in")
            }
        }
    }

    @Test("P-52: a sign-in code is good once, for its owner and role, and is not confused with a reset code")
    func codes() async throws {
        try await ServerHouse.open { house in
            let client = house.client
            func signIn(_ email: String, _ role: String, _ code: String, _ request: String) async throws
                -> Int
            {
                let who = #""email":"\#(email)","role":"\#(role)""#
                return try await client.auth(
                    "sign-in",
                    #"{\#(who),"code":"\#(code)","request":"\#(request)"}"#
                ).status
            }
            let anna = #"{"email":"Anna@Example.COM","role":"staff"}"#
            let request = try await client.auth("request-sign-in", anna).request
            let code = try await house.tray.code(after: 0)
            #expect(try await signIn("anna@example.com", "customer", code, request) == 401)
            #expect(try await signIn("carl@example.com", "customer", code, request) == 401)
            #expect(try await signIn("anna@example.com", "staff", code, request) == 200)
            #expect(try await signIn("anna@example.com", "staff", code, request) == 401)
            let reset = try await client.auth("request-reset", anna).request
            let resetCode = try await house.tray.code(after: 1)
            #expect(try await signIn("anna@example.com", "staff", resetCode, reset) == 401)
        }
    }

    @Test("P-52: of many sign-ins at once with one code, one begins a session")
    func concurrentSignIns() async throws {
        var settings = ServerSettings()
        settings.codes.tries = 100
        try await ServerHouse.open(settings) { house in
            let anna = #""email":"anna@example.com","role":"staff""#
            let request = try await house.client.auth("request-sign-in", "{\(anna)}").request
            let code = try await house.tray.code(after: 0)
            let body = #"{\#(anna),"code":"\#(code)","request":"\#(request)"}"#
            let statuses = try await concurrently(30) { _ in
                try await house.client.auth("sign-in", body).status
            }
            #expect(statuses.count { $0 == 200 } == 1)
            #expect(statuses.count { $0 == 401 } == 29)
        }
    }

    @Test("P-52: expired and forged tokens open nothing")
    func tokens() async throws {
        try await ServerHouse.open { house in
            let token = try await house.signIn()
            await house.clock.advance(by: .seconds(30 * 86_400 - 1))
            #expect(try await house.client.status(token).status == 200)
            await house.clock.advance(by: .seconds(1))
            #expect(try await house.client.status(token).problem == "not-signed-in")
            let forged = [
                "", "x", String(repeating: "A", count: 43), token + "A", String(token.dropLast()) + "é",
            ]
            for token in forged {
                let reply = try await house.client.send(
                    "GET",
                    "/api/auth/passcode-status",
                    fields: ["Authorization": "Bearer \(token)"]
                )
                #expect(reply.problem == "not-signed-in")
            }
            let basic = ["Authorization": "Basic YW5uYTp4"]
            #expect(try await house.client.send("GET", "/api/auth/session", fields: basic).status == 401)
            #expect(try await house.client.send("GET", "/api/auth/session").status == 401)
        }
    }

    @Test("P-40: an account that is held back signs in, is told why, and gets no further")
    func quarantine() async throws {
        try await ServerHouse.open { house in
            let token = try await house.signIn("emil@example.com")
            let who = try await house.client.send("GET", "/api/auth/session", token: token)
            #expect(who.json?["quarantine"] as? String == "An invoice is open.")
            #expect(try await house.client.set("493817", token).problem == "quarantined")
        }
    }

    @Test("P-52: tokens and codes are not in the store")
    func storedHashes() async throws {
        let store = SpyStore()
        try await ServerHouse.open(store: store) { house in
            let token = try await house.signIn()
            #expect(store.texts.contains { $0.contains("anna") })
            #expect(!store.texts.contains { $0.contains(token) })
        }
    }
}

/// Runs the body this many times at once.
func concurrently<Result: Sendable>(
    _ count: Int,
    _ body: @escaping @Sendable (Int) async throws -> Result
) async throws -> [Result] {
    try await withThrowingTaskGroup(of: Result.self) { group in
        for index in 0..<count { group.addTask { try await body(index) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}
