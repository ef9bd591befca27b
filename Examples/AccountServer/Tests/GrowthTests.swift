import AccountService
import PortcullisCore
import PortcullisTesting
import Testing

/// Checks how much strangers can make the server store, and what the server tells of accounts when it
/// forgets.
@Suite("Growth by strangers", .timeLimit(.minutes(5)))
struct GrowthTests {
    private static let anna = #""email":"anna@example.com","role":"staff""#
    private static func stranger(_ number: Int) -> String {
        #""email":"nobody\#(number)@example.com","role":"staff""#
    }

    private static var settings: ServerSettings {
        var settings = ServerSettings()
        settings.trustsForwarded = true
        settings.codeLimit.requests = 10_000
        settings.limit.requests = 10_000
        return settings
    }

    /// Asks for a stranger's code from an address.
    private func ask(_ house: ServerHouse, _ address: String) async throws -> Int {
        try await house.client.send(
            "POST",
            "/api/auth/request-reset",
            "{\(Self.stranger(0))}",
            fields: ["X-Forwarded-For": address]
        ).status
    }

    private func items(_ store: SpyStore) async throws -> Int {
        var count = 0
        for part in ["codes", "requests"] {
            count += try await store.names(in: SecretNamespace("account-server.\(part)")).count
        }
        return count
    }

    @Test("P-52: requests for any number of addresses without an account fill a fixed number of items")
    func bound() async throws {
        let store = SpyStore()
        var settings = Self.settings
        settings.codes.slots = 16
        try await ServerHouse.open(settings, store: store) { house in
            for name in ["request-sign-in", "request-reset"] {
                let statuses = try await concurrently(200) { number in
                    try await house.client.auth(name, "{\(Self.stranger(number))}").status
                }
                #expect(statuses.allSatisfy { $0 == 202 })
                // Tries write as well.
                let sent = #""code":"000000","request":"r""#
                for number in 300..<330 {
                    let body = "{\(Self.stranger(number)),\(sent)}"
                    #expect(try await house.client.auth("sign-in", body).status == 401)
                }
            }
            #expect(try await items(store) <= 4 * 16)
            // An account's code stays valid meanwhile.
            let before = try await house.mails()
            let asked = try await house.client.auth("request-sign-in", "{\(Self.anna)}").request
            let code = try await house.tray.code(after: before)
            _ = try await concurrently(200) { number in
                try await house.client.auth("request-sign-in", "{\(Self.stranger(1_000 + number))}").status
            }
            let sent = #""code":"\#(code)","request":"\#(asked)""#
            #expect(try await house.client.auth("sign-in", "{\(Self.anna),\(sent)}").status == 200)
            // The sweeper removes all old items at once.
            await house.clock.waitForSleepers(1)
            await house.clock.suspend(for: .seconds(91 * 86_400))
            while try await items(store) > 0 { try await Task.sleep(for: .milliseconds(10)) }
        }
    }

    @Test("P-52: one address is kept with a bound, too, however many networks ask for it")
    func boundOfAddress() async throws {
        let store = SpyStore()
        var settings = Self.settings
        settings.codes.requestsOfAll = 10
        try await ServerHouse.open(settings, store: store) { house in
            for number in 0..<40 {
                let status = try await ask(house, "192.0.2.\(number)")
                #expect(status == 202)
                await house.clock.advance(by: .seconds(15 * 60))
            }
            // The record holds 20 entries, each with a hash of 16 digits, a time and names, and also a code.
            #expect((store.takeSizes().last ?? 0) < 20 * 60 + 700)
        }
    }

    @Test("P-52: where a pause is forgotten because others came, it is forgotten of accounts alike")
    func collision() async throws {
        let store = SpyStore()
        var settings = Self.settings
        settings.codes.slots = 1
        try await ServerHouse.open(settings, store: store) { house in
            func story(_ who: String) async throws -> (told: [String], sizes: [Int]) {
                _ = (store.takeCalls(), store.takeSizes())
                var told: [String] = []
                func ask(_ who: String) async throws -> String {
                    let reply = try await house.client.auth("request-sign-in", "{\(who)}")
                    told.append("\(reply.status) \(reply.fields["retry-after"] ?? "")")
                    return reply.request
                }
                for _ in 0..<4 { _ = try await ask(who) }
                // There is one slot, so another address replaces this address's item.
                _ = try await ask(Self.stranger(9))
                let request = try await ask(who)
                for asked in [request, "unknown"] {
                    let sent = #""code":"000000","request":"\#(asked)""#
                    told.append("\(try await house.client.auth("sign-in", "{\(who),\(sent)}").status)")
                }
                return (told + store.takeCalls(), store.takeSizes())
            }
            let known = try await story(Self.anna)
            #expect(known.told.prefix(6) == ["202 ", "202 ", "202 ", "429 300", "202 ", "202 "])
            // The account's own record still has the pause, so only three codes were mailed.
            #expect(try await house.mails() == 3)
            let unknown = try await story(Self.stranger(1))
            #expect(unknown.told == known.told)
            // The first six writes precede the request of the other address. Salt and hash differ by some
            // digits.
            for (one, other) in zip(known.sizes.prefix(6), unknown.sizes.prefix(6)) {
                #expect(abs(one - other) < 200, "\(known.sizes) \(unknown.sizes)")
            }
        }
    }

    @Test("P-52: a /56 has four times the limit of a /64, and a /48 sixteen times")
    func widerNetworks() async throws {
        var settings = ServerSettings()
        settings.codeLimit = AddressLimit(requests: 1, window: .seconds(60))
        settings.trustsForwarded = true
        try await ServerHouse.open(settings) { house in
            for block in 0..<4 {
                for number in 0..<4 {
                    let network = "2001:db8:7:\(block)0\(number)"
                    #expect(try await ask(house, "\(network)::1") == 202, "\(network)")
                    #expect(try await ask(house, "\(network)::2") == 429, "\(network)")
                }
                #expect(try await ask(house, "2001:db8:7:\(block)09::1") == 429)
            }
            let statuses = [
                try await ask(house, "2001:db8:7:ff00::1"), try await ask(house, "2001:db8:8:ff00::1"),
            ]
            #expect(statuses == [429, 202])
            await house.clock.advance(by: .seconds(60))
            #expect(try await ask(house, "2001:db8:7:ff00::1") == 202)
        }
    }
}
