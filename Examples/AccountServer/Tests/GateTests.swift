import AccountService
import Foundation
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("A server of a fleet that does not answer says so (F-3)", .timeLimit(.minutes(2)))
struct GateTests {
    @Test(
        "F-3: while the clock is not to be trusted requests get 503 with Retry-After and the reason; alive it is"
    )
    func closed() async throws {
        var settings = ServerSettings()
        let gate = ServiceGate()
        settings.gate = gate
        settings.moreMetrics = { "more_metrics 1\n" }
        try await ServerHouse.open(settings) { house in
            #expect(try await house.client.send("GET", "/ready").status == 200)
            gate.set("the clock is off")
            for path in ["/ready", "/api/auth/session"] {
                let answer = try await house.client.send("GET", path)
                #expect(answer.status == 503, "\(path)")
                #expect(answer.fields["retry-after"] == "2")
                #expect(String(decoding: answer.body, as: UTF8.self).contains("the clock is off"))
            }
            #expect(try await house.client.send("GET", "/live").status == 200)
            #expect(
                String(decoding: try await house.client.send("GET", "/metrics").body, as: UTF8.self).contains(
                    "more_metrics 1"
                )
            )
            gate.set(nil)
            #expect(try await house.client.send("GET", "/api/auth/session").status == 401)
            gate.drain()
            #expect(try await house.client.send("GET", "/ready").status == 503)
            #expect(try await house.client.send("GET", "/api/auth/session").status == 401)
        }
    }

    @Test(
        "F-3: a server whose clock is not to be trusted removes no sessions and no limits of the others",
        arguments: [-86_400, 31 * 86_400]
    )
    func sweepsNothing(_ difference: Int) async throws {
        let store = InMemorySecretStore()
        var settings = ServerSettings()
        let gate = ServiceGate()
        settings.gate = gate
        try await ServerHouse.open(store: store) { right in
            try await ServerHouse.open(settings, store: store) { wrong in
                let token = try await right.signIn()
                let who = #"{"email":"anna@example.com","role":"staff"}"#
                for _ in 0..<2 {
                    #expect(try await right.client.auth("request-sign-in", who).status == 202)
                }
                gate.set("the clock is off")
                await wrong.clock.waitForSleepers(1)
                await wrong.clock.setWall(right.clock.now.wall + .seconds(difference))
                await wrong.clock.advance(by: .seconds(3_600))
                // The sweeper sleeps again when it is done.
                await wrong.clock.waitForSleepers(1)
                #expect(try await right.client.send("GET", "/api/auth/session", token: token).status == 200)
                #expect(try await right.client.auth("request-sign-in", who).problem == "throttled")
            }
        }
    }

    @Test("F-3: an address's limit is divided by the live servers, rounded up, and whole again when they go")
    func sharedLimits() async throws {
        var settings = ServerSettings()
        settings.limit = AddressLimit(requests: 10, window: .seconds(60))
        try await ServerHouse.open(settings) { house in
            for (servers, most) in [(3, 4), (1, 10), (20, 1), (0, 10)] {
                settings.fleet.set(servers)
                await house.clock.advance(by: .seconds(60))
                for number in 1...most + 1 {
                    let reply = try await house.client.send("GET", "/api/auth/session")
                    #expect((reply.problem == "throttled") == (number > most), "\(servers): \(number)")
                }
            }
        }
    }
}
