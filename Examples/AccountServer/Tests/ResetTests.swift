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
        to new: String = "270954",
        as revision: String = "r9"
    ) async throws -> APIClient.Reply {
        let members = #""code":"\#(code)","new":"\#(new)","revision":"\#(revision)""#
        return try await house.client.auth("reset-passcode", "{\(who),\(members)}")
    }

    private func request(_ house: ServerHouse, _ who: String = anna) async throws -> APIClient.Reply {
        try await house.client.auth("request-reset", "{\(who)}")
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
        settings.codeLimit.requests = 1_000
        // Without the limit of tries it is the single use alone that holds.
        for tries in [5, 1_000] {
            settings.codes.tries = tries
            try await ServerHouse.open(settings) { house in
                let token = try await house.signIn()
                _ = try await house.client.set("493817", token)
                let before = house.tray.count
                #expect(try await request(house).status == 202)
                let code = try await house.tray.code(after: before)
                let outcomes = try await concurrently(100) { index in
                    try await reset(house, Self.anna, code, to: String(270_000 + index), as: "reset-\(index)")
                }
                #expect(outcomes.allSatisfy { $0.status == 200 })
                #expect(outcomes.count { $0.outcome == "reset" } == 1)
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
            let before = house.tray.count
            _ = try await request(house)
            let code = try await house.tray.code(after: before)
            await house.clock.advance(by: .seconds(15 * 60))
            #expect(try await reset(house, Self.anna, code).outcome == "refused")
            _ = try await house.client.auth("request-reset", "{}", token: token)
            let second = try await house.tray.code(after: before + 1)
            await house.clock.advance(by: .seconds(15 * 60 - 1))
            #expect(try await reset(house, Self.anna, second).outcome == "reset")
            #expect(try await house.client.verify("270954", token).outcome == "right")
        }
    }

    @Test("P-52: after five tries the right code is refused too")
    func tries() async throws {
        try await ServerHouse.open { house in
            _ = try await request(house)
            let code = try await house.tray.code(after: 0)
            let outcomes = try await concurrently(20) { _ in
                try await reset(house, Self.anna, wrong(code)).outcome
            }
            #expect(outcomes.allSatisfy { $0 == "refused" })
            #expect(try await reset(house, Self.anna, code).outcome == "refused")
        }
    }

    @Test("P-52: a bad passcode or revision costs a code no try")
    func badInputIsNoTry() async throws {
        try await ServerHouse.open { house in
            _ = try await request(house)
            let code = try await house.tray.code(after: 0)
            for _ in 0..<6 {
                #expect(try await reset(house, Self.anna, code, to: "12").problem == "bad-passcode")
                #expect(try await reset(house, Self.anna, "12345x").problem == "bad-code")
                #expect(try await reset(house, Self.anna, code, as: "").problem == "malformed")
            }
            #expect(try await reset(house, Self.anna, code).outcome == "reset")
        }
    }

    @Test("P-52: three codes in fifteen minutes and ten a day, for one account, over all addresses")
    func accountLimits() async throws {
        try await ServerHouse.open { house in
            for round in 0..<4 {
                for _ in 0..<(round == 3 ? 1 : 3) { #expect(try await request(house).status == 202) }
                let refused = try await request(house)
                #expect(refused.problem == "throttled")
                let wait = try #require(refused.fields["retry-after"].flatMap { Int($0) })
                #expect(round == 3 ? wait > 80_000 : wait == 900)
                await house.clock.advance(by: .seconds(900))
            }
            await house.clock.advance(by: .seconds(86_400))
            #expect(try await request(house).status == 202)
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
            // Nor does another port make another address, or what a client wrote in front of the proxy's word.
            for written in ["192.0.2.1:4711", "198.51.100.7, 192.0.2.1", "[::ffff:192.0.2.1]:80"] {
                #expect(try await ask(house, written, 5) == 429)
            }
            // One customer's network has 2⁶⁴ addresses.
            for number in 0..<4 { #expect(try await ask(house, "2001:db8:1:2::\(number)", number) == 202) }
            #expect(try await ask(house, "2001:db8:1:2:ffff::1", 9) == 429)
            #expect(try await ask(house, "2001:db8:1:3::1", 9) == 202)
            await house.clock.advance(by: .seconds(60))
            #expect(try await ask(house, "192.0.2.1", 6) == 202)
        }
    }

    // MARK: Strangers

    @Test("P-52: an account that exists and one that does not are answered alike, after the same work")
    func strangersLookTheSame() async throws {
        let store = SpyStore()
        try await ServerHouse.open(store: store) { house in
            func story(_ who: String) async throws -> [String] {
                _ = store.takeCalls()
                var replies: [APIClient.Reply] = []
                replies.append(try await request(house, who))
                for code in ["000000", "000001"] { replies.append(try await reset(house, who, code)) }
                replies.append(try await house.client.auth("request-sign-in", "{\(who)}"))
                replies.append(try await house.client.auth("sign-in", #"{\#(who),"code":"000000"}"#))
                for _ in 0..<3 { replies.append(try await request(house, who)) }
                return replies.map { reply in
                    let fields = reply.fields.filter { $0.key != "date" }.sorted { $0.key < $1.key }
                    return "\(reply.status) \(fields) \(reply.text)"
                } + store.takeCalls()
            }
            let known = try await story(Self.anna)
            #expect(known.count > 20)
            #expect(try await story(Self.stranger) == known)
            // Nor does it show that an account may not have a passcode, or is held back.
            #expect(try await story(#""email":"dora@example.com","role":"staff""#) == known)
            #expect(try await story(#""email":"emil@example.com","role":"staff""#) == known)
            #expect(house.sealer.derivations == 0)
        }
    }

    /// Compares orders, not times: of pairs of a known and an unknown account's request, how often the known one took
    /// longer. Both kinds alternate at random, so that a busy machine slows both alike.
    @Test("P-52: the times for accounts that exist and for ones that do not cannot be told apart")
    func timing() async throws {
        var settings = ServerSettings()
        settings.codes.tries = 1_000_000
        settings.codes.requests = 1_000_000
        settings.codes.requestsPerDay = 1_000_000
        settings.codeLimit.requests = 1_000_000
        settings.limit.requests = 1_000_000
        try await ServerHouse.open(settings) { house in
            let clock = ContinuousClock()
            for who in [Self.anna, Self.stranger] { _ = try await request(house, who) }
            let acts: [(String, Int, (String) async throws -> APIClient.Reply)] = [
                ("reset-passcode", 200, { try await reset(house, $0, "000000") }),
                ("sign-in", 401, { try await house.client.auth("sign-in", #"{\#($0),"code":"000000"}"#) }),
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
                // Half, if there is no difference; its standard deviation is 0.033.
                #expect((0.33...0.67).contains(share), "\(name): known took longer in \(share) of the pairs")
            }
        }
    }
}
