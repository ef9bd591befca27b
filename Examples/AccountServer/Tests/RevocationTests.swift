import AccountService
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("Sessions that end from elsewhere", .timeLimit(.minutes(2)))
struct RevocationTests {
    private static let token = String(repeating: "t", count: 32)

    private func isOpen(_ house: ServerHouse, _ token: String) async throws -> Bool {
        let reply = try await house.client.send("GET", "/api/auth/session", token: token)
        #expect(reply.status == 200 || reply.problem == "not-signed-in")
        return reply.status == 200
    }

    /// Requests a code, in a session or without one, and returns the body of a reset with it.
    private func resetBody(_ house: ServerHouse, in token: String?, as revision: String) async throws
        -> String
    {
        let who = token == nil ? #""email":"anna@example.com","role":"staff""# : ""
        let before = try await house.mails()
        let asked = try await house.client.send("POST", "/api/auth/request-reset", "{\(who)}", token: token)
        let code = try await house.tray.code(after: before)
        let sent = #""code":"\#(code)","request":"\#(asked.request)""#
        let members = "\(who)\(who.isEmpty ? "" : ",")\(sent)"
        return #"{\#(members),"new":"606162","revision":"\#(revision)"}"#
    }

    /// Requests a code and resets with it, in a session or without one.
    private func reset(_ house: ServerHouse, in token: String?, as revision: String) async throws {
        let body = try await resetBody(house, in: token, as: revision)
        let reply = try await house.client.send("POST", "/api/auth/reset-passcode", body, token: token)
        #expect(reply.outcome == "reset")
    }

    @Test("P-52: a reset ends all sessions but the one that it was made in")
    func reset() async throws {
        try await ServerHouse.open { house in
            let (own, other) = (try await house.signIn(), try await house.signIn())
            try await reset(house, in: own, as: "r1")
            #expect(try await isOpen(house, own))
            #expect(try await !isOpen(house, other))
            try await reset(house, in: nil, as: "r2")
            #expect(try await !isOpen(house, own))
            let new = try await house.signIn()
            #expect(try await isOpen(house, new))
        }
    }

    @Test("P-52: the session that a reset is made in is open for requests that come at the same time")
    func resetMeanwhile() async throws {
        let store = SpyStore()
        try await ServerHouse.open(store: store) { house in
            let own = try await house.signIn()
            store.holdNext("session")
            async let isOpen = isOpen(house, own)
            await store.gate.waitForHeld(1)
            try await reset(house, in: own, as: "r1")
            store.gate.open()
            #expect(try await isOpen)
        }
    }

    @Test("P-52: a session that was ended during its reset stays ended, and the passcode stays the same")
    func endedMeanwhile() async throws {
        let store = SpyStore()
        try await ServerHouse.open(store: store) { house in
            let (own, other) = (try await house.signIn(), try await house.signIn())
            #expect(try await house.client.set("493817", own).outcome == "set")
            let body = try await resetBody(house, in: own, as: "r2")
            store.holdNext("codes")
            async let reply = house.client.auth("reset-passcode", body, token: own)
            await store.gate.waitForHeld(1)
            let ended = try await house.client.send("POST", "/api/auth/log-out-everywhere", token: other)
            store.gate.open()
            #expect(ended.status == 204)
            #expect(try await reply.problem == "not-signed-in")
            #expect(try await !isOpen(house, own))
            let new = try await house.signIn()
            #expect(try await house.client.verify("493817", new).outcome == "right")
        }
    }

    @Test("P-52: a session ends with its role also if it is changed by a reset at the same time")
    func changedMeanwhile() async throws {
        let store = SpyStore()
        var moved = ServerHouse.accounts
        moved[0].role = .customer
        let other = moved
        try await ServerHouse.open(store: store) { late in
            try await ServerHouse.open(store: store) { house in
                let own = try await late.signIn()
                store.holdNext("sessions")
                async let reloaded: Void = house.reload(other)
                await store.gate.waitForHeld(1)
                // The other server has not read the accounts yet.
                try await reset(late, in: own, as: "r1")
                store.gate.open()
                try await reloaded
                #expect(try await !isOpen(late, own))
            }
        }
    }

    @Test("P-52: a person logs out everywhere, and nobody else")
    func everywhere() async throws {
        try await ServerHouse.open { house in
            let tokens = [try await house.signIn(), try await house.signIn()]
            let carl = try await house.signIn("carl@example.com", "customer")
            let reply = try await house.client.send("POST", "/api/auth/log-out-everywhere", token: tokens[0])
            #expect(reply.status == 204)
            for token in tokens { #expect(try await !isOpen(house, token)) }
            #expect(try await isOpen(house, carl))
            let new = try await house.signIn()
            #expect(try await isOpen(house, new))
        }
    }

    @Test("P-52: a session ends with its account or role, and does not go on when they come back")
    func accounts() async throws {
        let store = InMemorySecretStore()
        var settings = ServerSettings()
        settings.codes.requests = 100
        var moved = ServerHouse.accounts
        moved[0].role = .customer
        for other in [Array(ServerHouse.accounts.dropFirst()), moved] {
            try await ServerHouse.open(settings, store: store) { house in
                let token = try await house.signIn()
                try await house.reload(other)
                #expect(try await !isOpen(house, token))
                try await house.reload(ServerHouse.accounts)
                #expect(try await !isOpen(house, token))
            }
            // The same holds if a server was started with other accounts in between, even without a request
            // to it.
            try await ServerHouse.open(settings, store: store) { house in
                let token = try await house.signIn()
                try await ServerHouse.open(store: store, accounts: other) { _ in }
                #expect(try await !isOpen(house, token))
            }
        }
    }

    @Test("P-52: sessions that the store did not let end are ended as soon as it does, and the log tells")
    func endsLater() async throws {
        let store = SpyStore()
        try await ServerHouse.open(store: store) { house in
            let token = try await house.signIn()
            store.setFull(true)
            async let reloaded: Void = house.reload(Array(ServerHouse.accounts.dropFirst()))
            // The sweeper sleeps as well.
            await house.clock.waitForSleepers(2)
            store.setFull(false)
            await house.clock.advance(by: .seconds(5))
            try await reloaded
            #expect(house.log.text.contains("sessions of accounts that are gone have not ended"))
            try await house.reload(ServerHouse.accounts)
            #expect(try await !isOpen(house, token))
        }
    }

    @Test("P-52: a sign-in whose account goes meanwhile leaves no session")
    func goneMeanwhile() async throws {
        let store = SpyStore()
        try await ServerHouse.open(store: store) { house in
            store.holdNext("account-server.accounts")
            async let reply = house.answerToSignIn()
            await store.gate.waitForHeld(1)
            try await house.reload(Array(ServerHouse.accounts.dropFirst()))
            store.gate.open()
            #expect(try await reply.problem == "code-refused")
            let sessions = try SecretNamespace("account-server.sessions")
            #expect(try await store.names(in: sessions).isEmpty)
        }
    }

    @Test("P-52: an item that cannot be read keeps no server from its start, and no other item from its end")
    func unreadable() async throws {
        let store = InMemorySecretStore()
        try await ServerHouse.open(store: store) { early in
            let anna = try await early.signIn()
            let carl = try await early.signIn("carl@example.com", "customer")
            let spaces = try ["codes", "requests", "sessions"].map {
                try SecretNamespace("account-server.\($0)")
            }
            for space in spaces {
                // This name comes before all others.
                let name = try SecretName("0", in: space)
                let value = SecretBytes(copying: "{".utf8)
                try await store.write(value, to: name, accessibility: .afterFirstUnlockThisDeviceOnly)
            }
            let others = Array(ServerHouse.accounts.dropFirst())
            try await ServerHouse.open(store: store, accounts: others) { house in
                #expect(try await !isOpen(early, anna))
                #expect(try await isOpen(early, carl))
                await house.clock.waitForSleepers(1)
                await house.clock.suspend(for: .seconds(91 * 86_400))
                // The sweeper sleeps again when it is done.
                await house.clock.waitForSleepers(1)
                for space in spaces {
                    let left = try await store.names(in: space).map(\.name)
                    #expect(left == ["0"], "\(space)")
                }
                #expect(house.log.text.contains("an item cannot be read"))
            }
        }
    }

    @Test("P-40, P-52: an administrator disables, holds back and lets in again, at once and on all servers")
    func administrator() async throws {
        var settings = ServerSettings()
        settings.administratorToken = SecretBytes(copying: Self.token.utf8)
        let store = InMemorySecretStore()
        try await ServerHouse.open(store: store) { other in
            let token = try await other.signIn()
            try await ServerHouse.open(settings, store: store) { house in
                func call(_ members: String, token: String? = Self.token) async throws -> APIClient.Reply {
                    let body = #"{"id":"anna"\#(members)}"#
                    return try await house.client.send(
                        "POST",
                        "/api/admin/update-account",
                        body,
                        token: token
                    )
                }
                #expect(try await call(#","passcodesEnabled":false"#).outcome == "updated")
                #expect(try await other.client.status(token).json?["isEnabled"] as? Bool == false)
                #expect(try await other.client.set("493817", token).problem == "passcodes-disabled")
                #expect(try await call(#","passcodesEnabled":true"#).outcome == "updated")
                #expect(try await other.client.set("493817", token).outcome == "set")
                #expect(try await call(#","quarantine":"Call us.""#).outcome == "updated")
                let held = try await other.client.verify("493817", token)
                #expect(held.problem == "quarantined" && held.json?["detail"] as? String == "Call us.")
                // A held-back account gets no mail for a reset, and the answer does not show this.
                let mails = try await other.mails()
                let who = #"{"email":"anna@example.com","role":"staff"}"#
                #expect(try await other.client.auth("request-reset", who).status == 202)
                #expect(try await call(#","quarantine":null"#).outcome == "updated")
                #expect(try await other.client.verify("493817", token).outcome == "right")
                #expect(try await call(#","endSessions":true"#).outcome == "updated")
                #expect(try await !isOpen(other, token))
                _ = try await other.signIn()
                #expect(other.tray.count == mails + 1)
                for wrong in [nil, token, String(Self.token.dropLast())] {
                    let reply = try await call("", token: wrong)
                    #expect(reply.status == 401 && reply.problem == "not-administrator")
                }
                let unknown = #"{"id":"nobody","quarantine":"x"}"#
                let path = "/api/admin/update-account"
                let reply = try await house.client.send("POST", path, unknown, token: Self.token)
                #expect(reply.outcome == "unknown")
            }
            // A server without an administrator's token refuses every token.
            let body = #"{"id":"anna","quarantine":"x"}"#
            let path = "/api/admin/update-account"
            #expect(try await other.client.send("POST", path, body, token: Self.token).status == 401)
        }
    }

    @Test("P-40: an account that was held back by call signs in, and is told why at once")
    func heldBackByCall() async throws {
        var settings = ServerSettings()
        settings.administratorToken = SecretBytes(copying: Self.token.utf8)
        try await ServerHouse.open(settings) { house in
            let held = #"{"id":"anna","quarantine":"Call us."}"#
            let path = "/api/admin/update-account"
            #expect(
                try await house.client.send("POST", path, held, token: Self.token).outcome == "updated"
            )
            let reply = try await house.answerToSignIn()
            #expect(reply.status == 200)
            #expect((reply.json?["user"] as? [String: Any])?["quarantine"] as? String == "Call us.")
        }
    }

    @Test("P-7, P-52: what a clock that was ahead has left behind holds nobody up, and opens nothing")
    func clockAhead() async throws {
        try await ServerHouse.open { house in
            let now = house.clock.now.wall
            let old = try await house.signIn()
            _ = try await house.client.set("493817", old)
            await house.clock.setWall(now + .seconds(20 * 86_400))
            let token = try await house.signIn()
            for _ in 0..<5 { _ = try await house.client.verify("111111", token) }
            let who = #""email":"anna@example.com","role":"staff""#
            let before = try await house.mails()
            let asked = try await house.client.auth("request-sign-in", "{\(who)}")
            let code = try await house.tray.code(after: before)
            _ = try await house.client.auth("request-sign-in", "{\(who)}")
            #expect(try await house.client.auth("request-sign-in", "{\(who)}").problem == "throttled")
            await house.clock.setWall(now)
            #expect(try await !isOpen(house, token))
            let sent = #""code":"\#(code)","request":"\#(asked.request)""#
            #expect(try await house.client.auth("sign-in", "{\(who),\(sent)}").problem == "code-refused")
            #expect(try await isOpen(house, old))
            let new = try await house.signIn()
            #expect(try await isOpen(house, new))
            // The delay has to be waited for once, counted from the first try after the clock was set back.
            #expect(try await house.client.verify("493817", old).fields["retry-after"] == "60")
            await house.clock.advance(by: .seconds(60))
            #expect(try await house.client.verify("493817", old).outcome == "right")
        }
    }
}
