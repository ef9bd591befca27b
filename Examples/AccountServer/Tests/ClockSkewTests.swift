import AccountService
import PortcullisCore
import PortcullisTesting
import Testing

/// Two servers over one store. Their clocks differ by as much as the clocks of two servers that answer may:
/// each is as far from the median as it may be, in opposite directions.
@Suite("Servers whose clocks differ (F-3)", .timeLimit(.minutes(2)))
struct ClockSkewTests {
    private func open(
        _ limit: Duration = .seconds(2),
        store: SpyStore = SpyStore(),
        _ body: (_ behind: ServerHouse, _ ahead: ServerHouse) async throws -> Void
    ) async throws {
        let rule = ClockRule(limit: limit)
        var settings = ServerSettings()
        settings.clockMargin = rule.margin
        try await ServerHouse.open(settings, store: store) { behind in
            try await ServerHouse.open(settings, store: store) { ahead in
                await ahead.clock.setWall(behind.clock.now.wall + rule.margin)
                try await body(behind, ahead)
            }
        }
    }

    private func advance(_ houses: [ServerHouse], by seconds: Int) async {
        for house in houses { await house.clock.advance(by: .seconds(seconds)) }
    }

    @Test(
        "F-3: a difference of two seconds either way wins no try, whichever server counts and whichever is asked"
    )
    func tries() async throws {
        try await open { behind, ahead in
            let houses = [behind, ahead]
            let token = try await behind.signIn()
            _ = try await behind.client.set("493817", token)
            for failures in 1...4 {
                let reply = try await houses[failures % 2].client.verify("111111", token)
                #expect(reply.json?["failures"] as? Int == failures)
            }
            // The fifth failure costs a minute, and later failures cost more. The two servers count in turn.
            for (failures, delay) in zip(5..., [60, 300, 900, 3600]) {
                let counting = houses[failures % 2]
                let reply = try await counting.client.verify("111111", token)
                #expect(reply.json?["failures"] as? Int == failures)
                await advance(houses, by: delay - 1)
                for house in houses {
                    #expect(try await house.client.verify("493817", token).problem == "throttled")
                }
                // The margin costs a person eight seconds: twice the difference that two servers may have.
                await advance(houses, by: 9)
            }
            #expect(try await behind.client.verify("493817", token).outcome == "right")
        }
    }

    @Test("F-3: a difference wins no try either of a passcode that was set before there was a fleet")
    func setBefore() async throws {
        let store = SpyStore()
        try await ServerHouse.open(store: store) { house in
            _ = try await house.client.set("493817", try await house.signIn())
        }
        try await open(store: store) { behind, ahead in
            let token = try await behind.signIn()
            for _ in 0..<5 { _ = try await behind.client.verify("111111", token) }
            await advance([behind, ahead], by: 59)
            #expect(try await ahead.client.verify("493817", token).problem == "throttled")
            await advance([behind, ahead], by: 5)
            #expect(try await ahead.client.verify("493817", token).outcome == "right")
        }
    }

    @Test("F-3: a code lives no longer at a server that is behind, and can be used at once at either")
    func codes() async throws {
        try await open { behind, ahead in
            let who = #""email":"anna@example.com","role":"staff""#
            func use(mailedBy mailing: ServerHouse, at using: ServerHouse, after seconds: Int) async throws
                -> Int
            {
                let before = try await mailing.mails()
                let requested = try await mailing.client.auth("request-sign-in", "{\(who)}")
                try #require(requested.status == 202)
                let code = try await mailing.tray.code(after: before)
                await advance([behind, ahead], by: seconds)
                let body = #"{\#(who),"code":"\#(code)","request":"\#(requested.request)"}"#
                let status = try await using.client.auth("sign-in", body).status
                // After a day no pause of an earlier request is left.
                await advance([behind, ahead], by: 86_400)
                return status
            }
            for (mailing, using) in [(ahead, behind), (behind, ahead)] {
                let fresh = try await use(mailedBy: mailing, at: using, after: 0)
                #expect(fresh == 200)
                let old = try await use(mailedBy: mailing, at: using, after: 15 * 60)
                #expect(old == 401)
            }
        }
    }

    @Test("F-3: with the largest difference that can be set, what a server ahead began is not void behind")
    func largest() async throws {
        try await open(ClockRule.limits.upperBound) { behind, ahead in
            let houses = [behind, ahead]
            for house in houses { await house.clock.waitForSleepers(1) }
            await advance(houses, by: 3_599)
            let token = try await ahead.signIn()
            #expect(try await behind.client.send("GET", "/api/auth/session", token: token).status == 200)
            // The sweeper sleeps again when it is done.
            await advance(houses, by: 1)
            for house in houses { await house.clock.waitForSleepers(1) }
            #expect(try await behind.client.send("GET", "/api/auth/session", token: token).status == 200)
        }
    }
}
