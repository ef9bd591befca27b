import AccountService
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("Reset codes", .timeLimit(.minutes(5)))
struct ResetTests {
    private static let anna = #""email":"anna@example.com","role":"staff""#
    private static let stranger = #""email":"nobody@example.com","role":"staff""#

    private func reset(
        _ house: ServerHouse,
        _ who: String,
        _ code: String,
        of request: String,
        to new: String = "270954",
        as revision: String = "r9"
    ) async throws -> APIClient.Reply {
        let sent = #""code":"\#(code)","request":"\#(request)""#
        let members = #""new":"\#(new)","revision":"\#(revision)""#
        return try await house.client.auth("reset-passcode", "{\(who),\(sent),\(members)}")
    }

    private func request(
        _ house: ServerHouse,
        _ who: String = anna,
        from address: String? = nil
    ) async throws -> APIClient.Reply {
        let fields = address.map { ["X-Forwarded-For": $0] } ?? [:]
        return try await house.client.send("POST", "/api/auth/request-reset", "{\(who)}", fields: fields)
    }

    /// Asks for a code from an address.
    private func ask(_ house: ServerHouse, _ address: String, _ number: Int) async throws -> Int {
        try await house.client.send(
            "POST",
            "/api/auth/request-reset",
            #"{"email":"nobody\#(number)@example.com","role":"staff"}"#,
            fields: ["X-Forwarded-For": "1.2.3.4, \(address)"]
        ).status
    }

    private func wrong(_ code: String) -> String { code == "000000" ? "000001" : "000000" }

    @Test("P-52: of 100 resets at once with one code, one takes place")
    func concurrentResets() async throws {
        var settings = ServerSettings()
        settings.poolCapacity = 200
        settings.poolCapacityOfAccount = 200
        settings.codeLimit.requests = 1_000
        // With 1,000 tries, only the single use of a code limits the resets.
        for tries in [5, 1_000] {
            settings.codes.tries = tries
            try await ServerHouse.open(settings) { house in
                _ = try await house.client.set("493817", try await house.signIn())
                let before = try await house.mails()
                let asked = try await request(house).request
                let code = try await house.tray.code(after: before)
                let outcomes = try await concurrently(100) { index in
                    let new = String(270_000 + index)
                    return try await reset(
                        house,
                        Self.anna,
                        code,
                        of: asked,
                        to: new,
                        as: "reset-\(index)"
                    )
                }
                #expect(outcomes.allSatisfy { $0.status == 200 })
                #expect(outcomes.count { $0.outcome == "reset" } == 1)
                let token = try await house.signIn()
                let revision = try await house.client.status(token).json?["revision"] as? String
                let winner = try #require(revision?.split(separator: "-").last.flatMap { Int($0) })
                #expect(try await house.client.verify(String(270_000 + winner), token).outcome == "right")
            }
        }
    }

    @Test("P-52: a code is good for fifteen minutes, in a session or without one")
    func expiry() async throws {
        try await ServerHouse.open { house in
            let token = try await house.signIn()
            let before = try await house.mails()
            let first = try await request(house).request
            let code = try await house.tray.code(after: before)
            await house.clock.advance(by: .seconds(15 * 60))
            #expect(try await reset(house, Self.anna, code, of: first).outcome == "refused")
            let later = try await house.client.auth("request-reset", "{}", token: token).request
            let second = try await house.tray.code(after: before + 1)
            await house.clock.advance(by: .seconds(15 * 60 - 1))
            let sent = #""code":"\#(second)","request":"\#(later)""#
            let body = #"{\#(sent),"new":"270954","revision":"r9"}"#
            // A code that was requested in a session is valid only in a session.
            #expect(try await reset(house, Self.anna, second, of: later).outcome == "refused")
            #expect(try await house.client.auth("reset-passcode", body, token: token).outcome == "reset")
            #expect(try await house.client.verify("270954", token).outcome == "right")
        }
    }

    @Test("P-52: after five tries the right code is refused too")
    func tries() async throws {
        try await ServerHouse.open { house in
            let asked = try await request(house).request
            let code = try await house.tray.code(after: 0)
            let outcomes = try await concurrently(20) { _ in
                try await reset(house, Self.anna, wrong(code), of: asked).outcome
            }
            #expect(outcomes.allSatisfy { $0 == "refused" })
            #expect(try await reset(house, Self.anna, code, of: asked).outcome == "refused")
        }
    }

    @Test("P-52: a bad passcode or revision costs a code no try")
    func badInputIsNoTry() async throws {
        try await ServerHouse.open { house in
            let asked = try await request(house).request
            let code = try await house.tray.code(after: 0)
            for _ in 0..<6 {
                let short = try await reset(house, Self.anna, code, of: asked, to: "12")
                #expect(short.problem == "bad-passcode")
                #expect(try await reset(house, Self.anna, "12345x", of: asked).problem == "bad-code")
                #expect(try await reset(house, Self.anna, code, of: asked, as: "").problem == "malformed")
                #expect(try await reset(house, Self.anna, code, of: "").problem == "malformed")
            }
            #expect(try await reset(house, Self.anna, code, of: asked).outcome == "reset")
        }
    }

    @Test("P-52: after three codes a network pauses, each time twice as long; another one asks meanwhile")
    func networkPauses() async throws {
        var settings = ServerSettings()
        settings.trustsForwarded = true
        try await ServerHouse.open(settings) { house in
            for _ in 0..<3 { #expect(try await request(house, from: "192.0.2.1").status == 202) }
            for pause in [300, 600, 1_200, 2_400] {
                let refused = try await request(house, from: "192.0.2.1")
                #expect(refused.problem == "throttled")
                #expect(refused.fields["retry-after"].flatMap { Int($0) } == pause)
                await house.clock.advance(by: .seconds(pause))
                #expect(try await request(house, from: "192.0.2.1").status == 202)
            }
            #expect(try await request(house, from: "192.0.2.2").status == 202)
            await house.clock.advance(by: .seconds(86_400))
            for _ in 0..<3 { #expect(try await request(house, from: "192.0.2.1").status == 202) }
        }
    }

    @Test("P-52: what strangers ask for and try takes nothing from the person who asks")
    func strangersLockNobodyOut() async throws {
        var settings = ServerSettings()
        settings.trustsForwarded = true
        settings.codeLimit.requests = 1_000
        try await ServerHouse.open(settings) { house in
            let before = try await house.mails()
            let own = try await request(house, from: "198.51.100.1").request
            let code = try await house.tray.code(after: before)
            // Each of twelve networks requests three codes, and tries a wrong code twice for each request.
            for number in 0..<12 {
                for _ in 0..<3 {
                    let asked = try await request(house, from: "192.0.2.\(number)")
                    #expect(asked.status == 202)
                    for _ in 0..<2 { _ = try await reset(house, Self.anna, wrong(code), of: asked.request) }
                }
                #expect(try await request(house, from: "192.0.2.\(number)").problem == "throttled")
            }
            #expect(try await request(house, from: "198.51.100.1").status == 202)
            let reply = try await reset(house, Self.anna, code, of: own, as: "r1")
            #expect(reply.outcome == "reset")
            // A person who is signed in is not affected either.
            let token = try await house.signIn()
            let mails = try await house.mails()
            let asked = try await house.client.auth("request-reset", "{}", token: token)
            #expect(asked.status == 202)
            let second = try await house.tray.code(after: mails)
            let sent = #""code":"\#(second)","request":"\#(asked.request)""#
            let body = #"{\#(sent),"new":"606162","revision":"r2"}"#
            #expect(try await house.client.auth("reset-passcode", body, token: token).outcome == "reset")
        }
    }

    @Test("P-52: many networks together are slowed down, so that a day is not enough to guess a code")
    func allNetworksPause() async throws {
        var settings = ServerSettings()
        settings.trustsForwarded = true
        try await ServerHouse.open(settings) { house in
            for number in 0..<50 {
                #expect(try await request(house, from: "192.0.2.\(number)").status == 202)
            }
            let refused = try await request(house, from: "192.0.2.77")
            #expect(refused.problem == "throttled" && refused.fields["retry-after"] == "300")
            await house.clock.advance(by: .seconds(300))
            #expect(try await request(house, from: "192.0.2.77").status == 202)
            #expect(try await request(house, from: "192.0.2.78").problem == "throttled")
        }
    }

    @Test("P-52: from a network where a code was used before, no number of strangers keeps a person out")
    func knownNetwork() async throws {
        var settings = ServerSettings()
        settings.trustsForwarded = true
        settings.codes.requestsOfAll = 4
        settings.codes.knownNetworks = 2
        try await ServerHouse.open(settings) { house in
            /// Asks from a network, and uses the code.
            func use(from network: String) async throws {
                let before = try await house.mails()
                let asked = try await request(house, from: network)
                try #require(asked.status == 202)
                let code = try await house.tray.code(after: before)
                let reply = try await reset(house, Self.anna, code, of: asked.request, as: network)
                #expect(reply.outcome == "reset")
            }
            try await use(from: "198.51.100.1")
            for number in 0..<3 {
                #expect(try await request(house, from: "192.0.2.\(number)").status == 202)
            }
            #expect(try await request(house, from: "198.51.100.2").problem == "throttled")
            try await use(from: "198.51.100.1")
            // The network's own limit holds for a known network as well.
            #expect(try await request(house, from: "198.51.100.1").status == 202)
            #expect(try await request(house, from: "198.51.100.1").problem == "throttled")
            // A network is known for 90 days, and only the latest two networks are known.
            await house.clock.advance(by: .seconds(80 * 86_400))
            try await use(from: "198.51.100.2")
            try await use(from: "198.51.100.3")
            for number in 0..<3 { _ = try await request(house, from: "192.0.2.\(number)") }
            #expect(try await request(house, from: "198.51.100.1").problem == "throttled")
            #expect(try await request(house, from: "198.51.100.2").status == 202)
            await house.clock.advance(by: .seconds(90 * 86_400))
            for number in 0..<4 { _ = try await request(house, from: "192.0.2.\(number)") }
            #expect(try await request(house, from: "198.51.100.3").problem == "throttled")
        }
    }

    @Test("P-52: a reset whose answer got lost is answered again, to those who have its code")
    func repeatedReset() async throws {
        try await ServerHouse.open { house in
            let asked = try await request(house).request
            let code = try await house.tray.code(after: 0)
            // Without the code, a request with the present revision tells nothing.
            for revision in ["r9", "r8"] {
                let guess = try await reset(house, Self.anna, wrong(code), of: asked, as: revision)
                #expect(guess.outcome == "refused")
            }
            for _ in 0..<2 {
                #expect(try await reset(house, Self.anna, code, of: asked).outcome == "reset")
            }
            #expect(try await reset(house, Self.anna, code, of: asked, as: "r10").outcome == "refused")
            #expect(try await reset(house, Self.anna, wrong(code), of: "q").outcome == "refused")
        }
    }

    @Test("P-52: an address that asks for too many codes has to wait, and others do not")
    func addressLimits() async throws {
        var settings = ServerSettings()
        settings.codeLimit = AddressLimit(requests: 4, window: .seconds(60))
        settings.trustsForwarded = true
        try await ServerHouse.open(settings) { house in
            for number in 0..<4 { #expect(try await ask(house, "192.0.2.1", number) == 202) }
            let refused = try await ask(house, "192.0.2.1", 4)
            #expect(refused == 429)
            #expect(try await ask(house, "192.0.2.2", 5) == 202)
            // Another port, or text that a client wrote before the proxy's entry, does not make another
            // address.
            for written in ["192.0.2.1:4711", "198.51.100.7, 192.0.2.1", "[::ffff:192.0.2.1]:80"] {
                #expect(try await ask(house, written, 5) == 429)
            }
            // One customer's network has 2⁶⁴ addresses.
            for number in 0..<4 { #expect(try await ask(house, "2001:db8:1:2::\(number)", number) == 202) }
            #expect(try await ask(house, "2001:db8:1:2:ffff::1", 9) == 429)
            // The same network in other spellings, then networks that begin with the same digits.
            for written in ["2001:DB8:1:2::", "2001:0db8:0001:0002:0:0:0:1", "2001:db8:1:2::1%eth0"] {
                #expect(try await ask(house, written, 9) == 429)
            }
            #expect(try await ask(house, "2001:db8:1:3::1", 9) == 202)
            #expect(try await ask(house, "2001:db8::1:2:3:4", 9) == 202)
            await house.clock.advance(by: .seconds(60))
            #expect(try await ask(house, "192.0.2.1", 6) == 202)
        }
    }

    // MARK: Strangers

    @Test("P-52: a mail that takes long does not hold the others up")
    func slowMail() async throws {
        try await ServerHouse.open { house in
            house.tray.gate.close()
            #expect(try await request(house).status == 202)
            await house.tray.gate.waitForHeld(1)
            _ = try await house.client.signIn("carl@example.com", "customer") {
                try await house.tray.code(after: 0)
            }
            house.tray.gate.open()
        }
    }

    @Test("P-52: mail to nobody takes no place from mail to people")
    func strangersTakeNoPlace() async throws {
        var settings = ServerSettings()
        settings.senders = 1
        settings.codeLimit.requests = 10_000
        settings.limit.requests = 10_000
        try await ServerHouse.open(settings) { house in
            house.tray.gate.close()
            #expect(try await request(house).status == 202)
            await house.tray.gate.waitForHeld(1)
            // The queue takes fewer mails than this.
            let statuses = try await concurrently(1_050) { number in
                try await request(house, #""email":"nobody\#(number)@example.com","role":"staff""#).status
            }
            #expect(statuses.allSatisfy { $0 == 202 })
            let carl = #""email":"carl@example.com","role":"customer""#
            #expect(try await request(house, carl).status == 202)
            house.tray.gate.open()
            _ = try await house.tray.code(after: 1)
            #expect(try await !house.client.send("GET", "/metrics").text.contains(#"result="dropped""#))
        }
    }

    @Test("P-52: an account that exists and one that does not are answered alike, after the same work")
    func strangersLookTheSame() async throws {
        let store = SpyStore()
        try await ServerHouse.open(store: store) { house in
            func story(_ who: String) async throws -> [String] {
                _ = store.takeCalls()
                var replies: [APIClient.Reply] = []
                replies.append(try await request(house, who))
                for code in ["000000", "000001"] {
                    replies.append(try await reset(house, who, code, of: replies[0].request))
                    replies.append(try await reset(house, who, code, of: "unknown"))
                }
                let asked = try await house.client.auth("request-sign-in", "{\(who)}")
                let sent = #""code":"000000","request":"\#(asked.request)""#
                replies.append(asked)
                replies.append(try await house.client.auth("sign-in", "{\(who),\(sent)}"))
                for _ in 0..<3 { replies.append(try await request(house, who)) }
                return replies.map { reply in
                    let fields = reply.fields.filter { $0.key != "date" }.sorted { $0.key < $1.key }
                    // The request differs each time, but has the same length.
                    let text = reply.text.replacing(#/"request":"[0-9a-f]{32}"/#, with: "")
                    return "\(reply.status) \(fields) \(text)"
                } + store.takeCalls()
            }
            let known = try await story(Self.anna)
            #expect(known.count > 20)
            #expect(try await story(Self.stranger) == known)
            // The answers also do not show that an account may not have a passcode, or is held back.
            #expect(try await story(#""email":"dora@example.com","role":"staff""#) == known)
            #expect(try await story(#""email":"emil@example.com","role":"staff""#) == known)
            #expect(house.sealer.derivations == 0)
        }
    }

    /// Compares orders, not times: the share of pairs in which the request of the known account took longer
    /// than that of the unknown one. Both kinds alternate at random, so that a busy machine slows both
    /// equally.
    @Test("P-52: the times for accounts that exist and for ones that do not cannot be told apart")
    func timing() async throws {
        var settings = ServerSettings()
        settings.codes.tries = 1_000_000
        settings.codes.requests = 1_000_000
        settings.codes.requestsOfAll = 1_000_000
        settings.codeLimit.requests = 1_000_000
        settings.limit.requests = 1_000_000
        try await ServerHouse.open(settings) { house in
            let clock = ContinuousClock()
            var requests: [String: String] = [:]
            for who in [Self.anna, Self.stranger] { requests[who] = try await request(house, who).request }
            let asked = requests
            func signIn(_ who: String) async throws -> APIClient.Reply {
                let sent = #""code":"000000","request":"\#(asked[who] ?? "")""#
                return try await house.client.auth("sign-in", "{\(who),\(sent)}")
            }
            let acts: [(String, Int, (String) async throws -> APIClient.Reply)] = [
                ("reset-passcode", 200, { try await reset(house, $0, "000000", of: asked[$0] ?? "") }),
                ("sign-in", 401, { try await signIn($0) }),
                ("request-reset", 202, { try await request(house, $0) }),
            ]
            for (name, status, act) in acts {
                var times: [Bool: [Duration]] = [true: [], false: []]
                for isKnown in (0..<300).map({ $0.isMultiple(of: 2) }).shuffled() {
                    let begin = clock.now
                    let reply = try await act(isKnown ? Self.anna : Self.stranger)
                    times[isKnown]?.append(clock.now - begin)
                    #expect(reply.status == status)
                }
                let (known, unknown) = (times[true] ?? [], times[false] ?? [])
                let longer = known.reduce(0) { sum, time in sum + unknown.count { $0 < time } }
                let share = Double(longer) / Double(known.count * unknown.count)
                // Without a difference, the share is half, with a standard deviation of 0.033.
                #expect((0.33...0.67).contains(share), "\(name): known took longer in \(share) of the pairs")
            }
        }
    }
}
