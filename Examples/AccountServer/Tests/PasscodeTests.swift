import AccountService
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("Passcodes on the server", .timeLimit(.minutes(5)))
struct PasscodeTests {
    @Test("P-50: set, verify, change, switch off, each with its revision")
    func life() async throws {
        try await ServerHouse.open { house in
            let client = house.client
            let token = try await house.signIn()
            #expect(try await client.verify("493817", token).outcome == "notSet")
            #expect(try await client.set("493817", token).outcome == "set")
            #expect(try await client.set("493817", token).outcome == "set")
            #expect(try await client.set("493817", token, as: "r2").outcome == "alreadySet")
            #expect(try await client.verify("493817", token).outcome == "right")
            let change = #"{"current":"493817","new":"270954","revision":"r3"}"#
            #expect(try await client.auth("change-passcode", change, token: token).outcome == "right")
            #expect(try await client.auth("change-passcode", change, token: token).outcome == "right")
            #expect(try await client.verify("493817", token).json?["failures"] as? Int == 1)
            let off = #"{"hasPasscode":false,"current":"270954","revision":"r4"}"#
            for minutes in ["5", "0", "525600", #""never""#] {
                let body = "{\"timeoutMinutes\":\(minutes)}"
                #expect(try await client.auth("update-settings", body, token: token).outcome == "right")
            }
            #expect(try await client.status(token).json?["timeoutMinutes"] as? String == "never")
            #expect(try await client.auth("update-settings", off, token: token).outcome == "right")
            let status = try await client.status(token)
            #expect(status.json?["hasPasscode"] as? Bool == false)
            #expect(status.json?["revision"] as? String == "r4")
        }
    }

    @Test(
        "P-50: what is sent with the present revision is looked at, and answered as done only where it is done"
    )
    func presentRevision() async throws {
        try await ServerHouse.open { house in
            let client = house.client
            let token = try await house.signIn()
            func act(_ name: String, _ members: String, as revision: String) async throws -> APIClient.Reply {
                try await client.auth(name, #"{\#(members),"revision":"\#(revision)"}"#, token: token)
            }
            _ = try await client.set("493817", token)
            // These are no passcodes, even with the present revision.
            for bad in ["", "12", "12345x"] {
                #expect(try await client.set(bad, token).problem == "bad-passcode")
                let old = #""current":"\#(bad)","new":"270954""#
                let new = #""current":"493817","new":"\#(bad)""#
                for members in [old, new] {
                    let reply = try await act("change-passcode", members, as: "r1")
                    #expect(reply.problem == "bad-passcode")
                }
                let off = #""hasPasscode":false,"current":"\#(bad)""#
                #expect(try await act("update-settings", off, as: "r1").problem == "bad-passcode")
            }
            // The passcode is set. Even with its revision it is not switched off without the right passcode.
            let wrong = #""hasPasscode":false,"current":"111111""#
            #expect(try await act("update-settings", wrong, as: "r1").outcome == "wrong")
            #expect(try await client.status(token).json?["hasPasscode"] as? Bool == true)
            let off = #""hasPasscode":false,"current":"493817""#
            for _ in 0..<2 { #expect(try await act("update-settings", off, as: "r2").outcome == "right") }
            #expect(try await client.status(token).json?["hasPasscode"] as? Bool == false)
            // No passcode is left. With that revision no passcode was set or changed, so neither act is
            // answered as done.
            let change = #""current":"493817","new":"270954""#
            #expect(try await act("change-passcode", change, as: "r2").outcome == "notSet")
            #expect(try await client.set("270954", token, as: "r2").outcome == "set")
            #expect(try await client.verify("270954", token).outcome == "right")
        }
    }

    @Test("P-7: the throttle goes by the server's wall clock, and tells how long to wait")
    func throttle() async throws {
        try await ServerHouse.open { house in
            let token = try await house.signIn()
            _ = try await house.client.set("493817", token)
            for failures in 1...5 {
                let reply = try await house.client.verify("111111", token)
                #expect(reply.json?["failures"] as? Int == failures)
                #expect(reply.json?["retryAfter"] as? Int == (failures == 5 ? 60 : 0))
            }
            let derivations = house.sealer.derivations
            let refused = try await house.client.verify("493817", token)
            #expect(refused.problem == "throttled" && refused.fields["retry-after"] == "60")
            #expect(house.sealer.derivations == derivations)
            // After a restart, or on another machine, the boot differs and the wall time goes on.
            await house.clock.advance(by: .seconds(20))
            await house.clock.reboot(downtime: .seconds(30))
            #expect(try await house.client.verify("493817", token).fields["retry-after"] == "10")
            await house.clock.advance(by: .seconds(10))
            #expect(try await house.client.verify("493817", token).outcome == "right")
        }
    }

    @Test("P-37: with passcodes disabled by the administrator, none is set")
    func disabled() async throws {
        try await ServerHouse.open { house in
            let token = try await house.signIn("dora@example.com")
            #expect(try await house.client.status(token).json?["isEnabled"] as? Bool == false)
            #expect(try await house.client.set("493817", token).problem == "passcodes-disabled")
            let reset = try await house.client.auth("request-reset", "{}", token: token)
            #expect(reset.problem == "passcodes-disabled")
        }
    }

    @Test("P-9: accounts share nothing")
    func apart() async throws {
        try await ServerHouse.open { house in
            let anna = try await house.signIn()
            let carl = try await house.signIn("carl@example.com", "customer")
            _ = try await house.client.set("493817", anna)
            #expect(try await house.client.status(carl).json?["hasPasscode"] as? Bool == false)
            _ = try await house.client.set("270954", carl)
            for _ in 0..<5 { _ = try await house.client.verify("111111", carl) }
            #expect(try await house.client.verify("493817", anna).outcome == "right")
        }
    }

    @Test("P-52: what the pool cannot queue is refused with 503, counts nothing, and is served later")
    func fullPool() async throws {
        var settings = ServerSettings()
        settings.poolCapacity = 3
        try await ServerHouse.open(settings) { house in
            let token = try await house.signIn()
            _ = try await house.client.set("493817", token)
            house.sealer.gate.close()
            async let waiting = concurrently(3) { _ in try await house.client.verify("493817", token).outcome
            }
            while try await !metrics(house).contains("account_server_derivations 3\n") {}
            let refused = try await concurrently(20) { _ in try await house.client.verify("111111", token) }
            #expect(
                refused.allSatisfy {
                    $0.status == 503 && $0.problem == "busy" && $0.fields["retry-after"] == "2"
                }
            )
            #expect(refused.allSatisfy { $0.json?["mayBeCarriedOut"] as? Bool == false })
            // A request that needs no derivation is answered meanwhile.
            #expect(try await house.client.status(token).status == 200)
            house.sealer.gate.open()
            #expect(try await waiting == ["right", "right", "right"])
            #expect(try await house.client.verify("111111", token).json?["failures"] as? Int == 1)
            #expect(try await metrics(house).contains("account_server_derivations_refused_total 20\n"))
        }
    }

    @Test(
        "P-52: one account derives one key at a time, right ones at once do not count, and others do not wait"
    )
    func oneAccount() async throws {
        var settings = ServerSettings()
        settings.poolCapacity = 12
        try await ServerHouse.open(settings) { house in
            let anna = try await house.signIn()
            let carl = try await house.signIn("carl@example.com", "customer")
            for token in [anna, carl] { _ = try await house.client.set("493817", token) }
            house.sealer.gate.close()
            async let own = concurrently(14) { _ in try await house.client.verify("493817", anna) }
            while try await !metrics(house).contains("account_server_derivations_refused_total 6\n") {}
            async let other = house.client.verify("493817", carl)
            while try await !metrics(house).contains("account_server_derivations 9\n") {}
            #expect(house.sealer.gate.heldCount == 2)
            house.sealer.gate.open()
            #expect(try await other.outcome == "right")
            let replies = try await own
            #expect(replies.count { $0.outcome == "right" } == 8)
            #expect(replies.count { $0.problem == "busy" } == 6)
        }
    }

    @Test("P-52: a right code loses no try to a line without room")
    func fullLine() async throws {
        var settings = ServerSettings()
        settings.poolCapacityOfAccount = 1
        try await ServerHouse.open(settings) { house in
            let token = try await house.signIn()
            _ = try await house.client.set("493817", token)
            let who = #""email":"anna@example.com","role":"staff""#
            let before = try await house.mails()
            let request = try await house.client.auth("request-reset", "{\(who)}").request
            let code = try await house.tray.code(after: before)
            let sent = #""code":"\#(code)","request":"\#(request)","new":"270954","revision":"r2""#
            house.sealer.gate.close()
            async let waiting = house.client.verify("493817", token).outcome
            await house.sealer.gate.waitForHeld(1)
            for _ in 0..<5 {
                let refused = try await house.client.auth("reset-passcode", "{\(who),\(sent)}")
                #expect(refused.status == 503 && refused.problem == "busy")
            }
            house.sealer.gate.open()
            #expect(try await waiting == "right")
            #expect(try await house.client.auth("reset-passcode", "{\(who),\(sent)}").outcome == "reset")
        }
    }

    @Test(
        "P-52: a store without room says so, nothing is carried out, and everything goes on when there is room"
    )
    func fullStore() async throws {
        let store = SpyStore()
        try await ServerHouse.open(store: store) { house in
            let token = try await house.signIn()
            #expect(try await house.client.send("GET", "/ready").status == 200)
            // The room left in a file's last block would take a byte, but no account.
            store.setRoom(4_000)
            await house.clock.advance(by: .seconds(1))
            #expect(try await house.client.send("GET", "/ready").problem == "full")
            store.setFull(true)
            await house.clock.advance(by: .seconds(1))
            let ready = try await house.client.send("GET", "/ready")
            #expect(ready.status == 503 && ready.problem == "full")
            var replies = [try await house.client.set("493817", token)]
            replies.append(
                try await house.client.auth("update-settings", #"{"timeoutMinutes":5}"#, token: token)
            )
            replies.append(try await house.client.auth("request-reset", "{}", token: token))
            for reply in replies {
                #expect(reply.status == 503 && reply.problem == "full")
                #expect(reply.json?["mayBeCarriedOut"] as? Bool == false)
            }
            #expect(try await house.client.status(token).json?["hasPasscode"] as? Bool == false)
            store.setFull(false)
            await house.clock.advance(by: .seconds(1))
            #expect(try await house.client.send("GET", "/ready").status == 200)
            #expect(try await house.client.set("493817", token).outcome == "set")
            store.setFull(true)
            #expect(try await house.client.verify("493817", token).problem == "full")
            #expect(try await house.client.send("POST", "/api/auth/log-out", token: token).status == 204)
            #expect(try await house.client.status(token).problem == "not-signed-in")
        }
    }

    private func metrics(_ house: ServerHouse) async throws -> String {
        try await house.client.send("GET", "/metrics").text
    }
}
