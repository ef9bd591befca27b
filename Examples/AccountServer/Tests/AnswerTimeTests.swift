import AccountService
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("The times of mails and answers", .timeLimit(.minutes(2)))
struct AnswerTimeTests {
    @Test("P-52: mails go out once their delay has passed, and wait for it beside each other")
    func delay() async throws {
        var settings = ServerSettings()
        settings.senders = 1
        settings.mailDelay = { .milliseconds(300) }
        try await ServerHouse.open(settings) { house in
            // The sweeper is always one of the sleepers.
            await house.clock.waitForSleepers(1)
            for (email, role) in [("anna", "staff"), ("carl", "customer"), ("emil", "staff")] {
                let who = #"{"email":"\#(email)@example.com","role":"\#(role)"}"#
                let reply = try await house.client.auth("request-sign-in", who)
                #expect(reply.status == 202)
            }
            await house.clock.waitForSleepers(2)
            await house.clock.advance(by: .milliseconds(299))
            #expect(house.clock.sleeperCount == 2 && house.tray.count == 0)
            await house.clock.advance(by: .milliseconds(1))
            #expect(try await house.mails() == 3)
        }
    }

    @Test("P-52: mails that wait when the server is cancelled are dropped")
    func dropped() async throws {
        var settings = ServerSettings()
        settings.mailDelay = { .milliseconds(300) }
        var tray: MailTray?
        try await ServerHouse.open(settings) { house in
            tray = house.tray
            await house.clock.waitForSleepers(1)
            for email in ["anna", "emil", "dora"] {
                let who = #"{"email":"\#(email)@example.com","role":"staff"}"#
                let reply = try await house.client.auth("request-sign-in", who)
                #expect(reply.status == 202)
            }
            await house.clock.waitForSleepers(2)
        }
        #expect(tray?.count == 0)
    }

    @Test("P-52: the time of an answer is rounded up to whole steps, of failures as well")
    func steps() async throws {
        struct Refused: Error {}
        let clock = ManualClock()
        let times = AnswerTimes(clock: clock, step: .milliseconds(20))
        for (work, wait, fails) in [(3, 17, false), (19, 1, true), (21, 19, false), (40, 0, true)] {
            let answer = Task {
                try await times.evenly {
                    await clock.advance(by: .milliseconds(work))
                    if fails { throw Refused() }
                    return work
                }
            }
            if wait > 0 {
                await clock.waitForSleepers(1)
                await clock.advance(by: .milliseconds(wait - 1))
                #expect(clock.sleeperCount == 1, "\(work) ms of work")
                await clock.advance(by: .milliseconds(1))
            }
            if fails {
                await #expect(throws: Refused.self) { try await answer.value }
            } else {
                #expect(try await answer.value == work)
            }
        }
    }

    @Test(
        "P-52: every answer about a code is one of these",
        arguments: ["request-sign-in", "sign-in", "request-reset", "reset-passcode"]
    )
    func routes(name: String) async throws {
        var settings = ServerSettings()
        settings.answerStep = .seconds(3)
        let store = SpyStore()
        try await ServerHouse.open(settings, store: store) { house in
            await house.clock.waitForSleepers(1)
            // A few reads of 700 ms do not add up to a step, so each answer has to wait.
            store.atRead { await house.clock.advance(by: .milliseconds(700)) }
            let who = #""email":"nobody@example.com","role":"staff""#
            let code = #""code":"123456","request":"\#(String(repeating: "0", count: 32))""#
            let members = name == "sign-in" ? ",\(code)" : #",\#(code),"new":"270954","revision":"r1""#
            let body = name.hasPrefix("request") ? "{\(who)}" : "{\(who)\(members)}"
            let answer = Task { try await house.client.auth(name, body) }
            await house.clock.waitForSleepers(2)
            store.atRead {}
            await house.clock.advance(by: .seconds(3))
            let reply = try await answer.value
            #expect([200, 202, 401].contains(reply.status), "\(reply.status)")
        }
    }
}
