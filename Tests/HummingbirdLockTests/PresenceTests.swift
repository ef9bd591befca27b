#if HummingbirdLock
import HTTPTypes
import Hummingbird
import HummingbirdLock
import HummingbirdTesting
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("Who is at a session (W-2, P-20)", .timeLimit(.minutes(5)))
struct PresenceTests {
    private let bench = WebBench()
    private let locked = HTTPResponse.Status(code: 423)

    private func run(_ body: @Sendable @escaping (any TestClientProtocol) async throws -> Void) async throws {
        try await bench.setPasscode()
        try await Application(router: bench.router).test(.router) { try await body($0) }
    }

    @Test("W-2: as long as a page that is seen gives a sign of life, the session stays open")
    func heartbeats() async throws {
        try await run { client in
            let visitor = try await Visitor.signedIn(client)
            for _ in 0..<200 {
                await bench.clock.advance(by: .seconds(3))
                #expect(try await visitor.pulse().text.contains("\"isLocked\":false"))
            }
            #expect(try await visitor.send(.get, "/api/orders").status == .ok)
        }
    }

    @Test("P-21, W-2: a time of silence that is shorter than that between two reports ends no presence")
    func shortSilence() async throws {
        let bench = WebBench { $0.heartbeat = .seconds(2) }
        try await bench.setPasscode()
        try await bench.service().setTimeout(.immediately)
        try await Application(router: bench.router).test(.router) { client in
            let visitor = try await Visitor.signedIn(client)
            for seconds in [3, 3, 4] {
                #expect(try await visitor.pulse().text.contains("\"isLocked\":false"))
                await bench.clock.advance(by: .seconds(seconds))
                #expect(try await visitor.send(.get, "/api/orders").status == .ok)
            }
            await bench.clock.advance(by: .seconds(1))
            try await visitor.waitFor(locked)
        }
    }

    @Test("W-2: a killed tab or a blocked script locks: ten seconds of silence, and then the timeout")
    func silence() async throws {
        try await run { client in
            let visitor = try await Visitor.signedIn(client)
            _ = try await visitor.pulse()
            await bench.clock.advance(by: .seconds(10))
            // One of the table of sessions, and one of the timeout.
            await bench.clock.waitForSleepers(2)
            try await Task.sleep(for: .milliseconds(50))
            #expect(try await visitor.send(.get, "/api/orders").status == .ok)
            await bench.clock.advance(by: .seconds(5))
            try await visitor.waitFor(locked)
        }
    }

    @Test(
        "W-2, P-23: silence and returns without activity begin no idle time anew",
        arguments: [[Duration.seconds(40)], Array(repeating: .seconds(10), count: 3) + [.seconds(10)]]
    )
    func idle(_ silences: [Duration]) async throws {
        var bench = bench
        bench.idleTimeout = .seconds(60)
        try await bench.setPasscode()
        try await bench.service().setTimeout(.after(.seconds(900)))
        try await Application(router: bench.router).test(.router) { [bench] client in
            let visitor = try await Visitor.signedIn(client)
            for _ in 0..<9 {
                await bench.clock.advance(by: .seconds(3))
                #expect(try await visitor.pulse().text.contains("\"isLocked\":false"))
            }
            // After 27 seconds.
            for (number, silence) in silences.enumerated() {
                await bench.clock.advance(by: silence)
                try await Task.sleep(for: .milliseconds(50))
                guard number < silences.count - 1 else { break }
                #expect(try await visitor.pulse().text.contains("\"isLocked\":false"))
            }
            try await visitor.waitFor(locked)
        }
    }

    @Test("W-2, P-20: a timeout that is set during an absence counts, from the beginning of the absence")
    func timeoutOfAbsence() async throws {
        try await run { client in
            try await bench.service().setTimeout(.never)
            let visitor = try await Visitor.signedIn(client)
            _ = try await visitor.pulse()
            await bench.clock.advance(by: .seconds(10))
            try await Task.sleep(for: .milliseconds(50))
            await bench.clock.advance(by: .seconds(100))
            #expect(try await visitor.send(.get, "/api/orders").status == .ok)
            try await bench.service().setTimeout(.after(.seconds(200)))
            await bench.clock.waitForSleepers(2)
            try await Task.sleep(for: .milliseconds(50))
            #expect(try await visitor.send(.get, "/api/orders").status == .ok)
            await bench.clock.advance(by: .seconds(100))
            try await visitor.waitFor(locked)
        }
    }

    @Test(
        "W-2: pages that a page of this site or another one opens without the person keep no session open",
        arguments: ["same-origin", "same-site", "cross-site"]
    )
    func unasked(site: String) async throws {
        try await run { client in
            let visitor = try await Visitor.signedIn(client)
            var unasked = Visitor.unreported
            unasked[.init("Sec-Fetch-Site")!] = site
            for _ in 0..<10 {
                _ = try await visitor.send(.get, "/", unasked)
                try await Task.sleep(for: .milliseconds(20))
                await bench.clock.advance(by: .seconds(2))
            }
            try await visitor.waitFor(locked)
        }
    }

    @Test("W-2: a page that loads itself anew out of sight keeps no session open")
    func unaskedOutOfSight() async throws {
        try await run { client in
            let visitor = try await Visitor.signedIn(client)
            for isVisible in [true, false] { _ = try await visitor.pulse(isVisible: isVisible) }
            for tab in 0..<10 {
                _ = try await visitor.send(.get, "/", Visitor.unreported)
                _ = try await visitor.pulse(tab: "\(tab)", isVisible: false)
                try await Task.sleep(for: .milliseconds(20))
                await bench.clock.advance(by: .seconds(2))
            }
            try await visitor.waitFor(locked)
        }
    }

    @Test("W-2: screens that replace each other without the person keep no session open")
    func unaskedScreens() async throws {
        try await run { client in
            let visitor = try await Visitor.signedIn(client)
            for _ in 0..<5 {
                for screen in ["security", "setup"] {
                    _ = try await visitor.send(.get, "/_lock/\(screen)", Visitor.unreported)
                    try await Task.sleep(for: .milliseconds(20))
                    await bench.clock.advance(by: .seconds(2))
                }
            }
            try await visitor.waitFor(locked)
        }
    }

    @Test("W-2: a page that a person opens by a link of another site counts as the person's presence")
    func followedLink() async throws {
        try await run { client in
            let visitor = try await Visitor.signedIn(client)
            var link = Visitor.navigation
            link[.init("Sec-Fetch-Site")!] = "cross-site"
            for _ in 0..<10 {
                #expect(try await visitor.send(.get, "/", link).status == .ok)
                try await Task.sleep(for: .milliseconds(20))
                await bench.clock.advance(by: .seconds(2))
            }
        }
    }

    @Test(
        "P-33, W-2: logging out on a locked page ends the person's other sessions, and those of no other person"
    )
    func logOutEndsAll() async throws {
        try await run { client in
            let (one, other) = (try await Visitor.signedIn(client), try await Visitor.signedIn(client))
            let stranger = try await Visitor.signedIn(client, user: "bob")
            try await one.lockNow()
            var posts = try await PagePosts(of: one)
            try await posts.post("activate=forgot", until: "Your passcode will be removed")
            try await posts.post("activate=logout")
            try await one.waitFor(.unauthorized)
            try await other.waitFor(.unauthorized)
            #expect(try await stranger.send(.get, "/api/orders").status == .ok)
        }
    }

    @Test("W-2: calls of a page that is not seen keep no session open")
    func hiddenCalls() async throws {
        try await run { client in
            let visitor = try await Visitor.signedIn(client)
            _ = try await visitor.pulse()
            _ = try await visitor.pulse(isVisible: false)
            for _ in 0..<4 {
                try await Task.sleep(for: .milliseconds(20))
                _ = try await visitor.send(.get, "/api/orders")
                _ = try await visitor.pulse(tab: "t", isVisible: false)
                await bench.clock.advance(by: .seconds(2))
            }
            try await visitor.waitFor(locked)
        }
    }

    @Test("P-20, W-2: away for less than the timeout does not lock, exactly the timeout does")
    func timeout() async throws {
        try await run { client in
            let visitor = try await Visitor.signedIn(client)
            for isVisible in [true, false] { _ = try await visitor.pulse(isVisible: isVisible) }
            await bench.clock.advance(by: .milliseconds(4999))
            #expect(try await visitor.page().status == .ok)
            for isVisible in [true, false] { _ = try await visitor.pulse(isVisible: isVisible) }
            await bench.clock.advance(by: .seconds(5))
            #expect(try await visitor.page().status == locked)
        }
    }

    @Test("P-20, W-2: a visit after a long silence is a return, whatever timer was late")
    func lateTimer() async throws {
        try await run { client in
            let visitor = try await Visitor.signedIn(client)
            await bench.clock.advance(by: .seconds(3600))
            #expect(try await visitor.page().status == locked)
        }
    }

    @Test(
        "P-20, W-2: an absence that is noticed after the machine slept counts from its beginning",
        arguments: [(599, false), (600, true)]
    )
    func absenceOfASleepingMachine(seconds: Int, isLocked: Bool) async throws {
        try await run { client in
            try await bench.service().setTimeout(.after(.seconds(600)))
            let visitor = try await Visitor.signedIn(client)
            // After ten seconds of silence the person is absent.
            await bench.clock.suspend(for: .seconds(10 + seconds))
            #expect(try await visitor.page().status == (isLocked ? locked : .ok))
        }
    }

    @Test("P-20, W-2: after the machine slept no request gets content, whether it is a visit or not")
    func requestsOfASleepingMachine() async throws {
        try await run { client in
            for _ in 0..<50 {
                let visitor = try await Visitor.signedIn(client)
                await bench.clock.suspend(for: .seconds(3600))
                async let call = visitor.send(.get, "/api/orders")
                async let page = visitor.page()
                #expect(try await [call.status, page.status] == [locked, locked])
            }
        }
    }

    @Test("P-20, W-2: an absence counts from its beginning, also if the machine slept twice")
    func sleptTwice() async throws {
        try await run { client in
            try await bench.service().setTimeout(.after(.seconds(900)))
            let visitor = try await Visitor.signedIn(client)
            await bench.clock.suspend(for: .seconds(420))
            await bench.clock.waitForSleepers(2)
            await bench.clock.suspend(for: .seconds(780))
            #expect(try await visitor.page().status == locked)
        }
    }

    @Test("P-20, W-2: an absence that was told locks in time, also if the machine slept until after that")
    func sleptAfterLeaving() async throws {
        try await run { client in
            for _ in 0..<25 {
                let visitor = try await Visitor.signedIn(client)
                _ = try await visitor.pulse(isVisible: true)
                _ = try await visitor.pulse(isVisible: false)
                // One of the table of sessions, and one of the timeout.
                await bench.clock.waitForSleepers(2)
                await bench.clock.suspend(for: .seconds(3600))
                async let call = visitor.send(.get, "/api/orders")
                async let first = visitor.page()
                async let second = visitor.page()
                #expect(
                    try await [call.status, first.status, second.status] == [locked, locked, locked]
                )
            }
        }
    }

    @Test("W-2: a tab that ended without a report does not make another tab's absence longer")
    func silentTab() async throws {
        try await run { client in
            try await bench.service().setTimeout(.after(.seconds(300)))
            let visitor = try await Visitor.signedIn(client)
            _ = try await visitor.pulse(tab: "ended", isVisible: true)
            for _ in 0..<80 {
                await bench.clock.advance(by: .seconds(5))
                _ = try await visitor.pulse(tab: "used", isVisible: true)
            }
            let answer = try await visitor.pulse(tab: "used", isVisible: false)
            #expect(answer.text.contains("\"isLocked\":false"))
            await bench.clock.advance(by: .seconds(1))
            #expect(try await visitor.page().status == .ok)
        }
    }

    @Test("W-2: twelve tabs, one of them seen: the session is open; the last one hidden: it counts as left")
    func tabs() async throws {
        try await run { client in
            let visitor = try await Visitor.signedIn(client)
            for isVisible in [true, false] { _ = try await visitor.pulse(isVisible: isVisible) }
            for tab in 0..<12 { _ = try await visitor.pulse(tab: "\(tab)", isVisible: tab == 7) }
            await bench.clock.advance(by: .seconds(6))
            #expect(try await visitor.pulse(tab: "7").text.contains("\"isLocked\":false"))
            _ = try await visitor.pulse(tab: "7", isVisible: false)
            await bench.clock.advance(by: .seconds(5))
            try await visitor.waitFor(locked)
            for tab in 0..<12 {
                #expect(
                    try await visitor.pulse(tab: "\(tab)", isVisible: false).text.contains(
                        "\"isLocked\":true"
                    )
                )
            }
        }
    }

    @Test(
        "P-21, W-2: locking at once does not lock while a person goes from page to page",
        arguments: [Visitor.navigation, Visitor.unreported]
    )
    func immediately(_ navigation: HTTPFields) async throws {
        try await run { client in
            try await bench.service().setTimeout(.immediately)
            let visitor = try await Visitor.signedIn(client)
            for tab in 0..<5 {
                #expect(try await visitor.send(.get, "/", navigation).status == .ok)
                // The page before tells that it is seen until the next one comes. It goes before that tells anything.
                if tab > 0 {
                    for isVisible in [true, false] {
                        _ = try await visitor.pulse(tab: "\(tab - 1)", isVisible: isVisible)
                    }
                }
                #expect(try await visitor.pulse(tab: "\(tab)").text.contains("\"isLocked\":false"))
            }
            _ = try await visitor.pulse(tab: "4", isVisible: false)
            #expect(try await visitor.pulse(tab: "4").text.contains("\"isLocked\":true"))
        }
    }

    @Test(
        "P-21, W-2: a navigation from another site, without the person's input, goes on with no presence",
        arguments: ["same-site", "cross-site"]
    )
    func immediatelyFromElsewhere(site: String) async throws {
        try await run { client in
            try await bench.service().setTimeout(.immediately)
            let visitor = try await Visitor.signedIn(client)
            _ = try await visitor.pulse()
            var unasked = Visitor.unreported
            unasked[.init("Sec-Fetch-Site")!] = site
            _ = try await visitor.send(.get, "/", unasked)
            #expect(try await visitor.pulse(isVisible: false).text.contains("\"isLocked\":true"))
        }
    }

    @Test("P-23, W-2: the input that leaves a page is activity, also if the browser does not report it")
    func activeToTheEnd() async throws {
        var bench = bench
        bench.idleTimeout = .seconds(60)
        try await bench.setPasscode()
        try await bench.service().setTimeout(.after(.seconds(900)))
        try await Application(router: bench.router).test(.router) { [bench] client in
            let visitor = try await Visitor.signedIn(client)
            for tab in 0..<20 {
                #expect(try await visitor.pulse(tab: "\(tab)").text.contains("\"isLocked\":false"))
                await bench.clock.advance(by: .seconds(9))
                #expect(try await visitor.send(.get, "/", Visitor.unreported).status == .ok)
                _ = try await visitor.pulse(tab: "\(tab)", isVisible: false, isActive: true)
            }
        }
    }

    @Test("P-21, W-2: locking at once does not lock while the lock screen's page loads the unlocked one")
    func immediatelyAfterUnlock() async throws {
        try await run { client in
            try await bench.service().setTimeout(.immediately)
            let visitor = try await Visitor.signedIn(client)
            try await visitor.lockNow()
            let page = try await visitor.page().pageName
            try await visitor.type(WebBench.right, on: page)
            try await visitor.waitFor(.ok)
            // So the page loads the next one by itself long after a key was pressed, or without one.
            #expect(try await visitor.send(.get, "/", Visitor.unreported).status == .ok)
            #expect(try await visitor.pulse(isVisible: false).text.contains("\"isLocked\":false"))
            #expect(try await visitor.pulse(tab: "next").text.contains("\"isLocked\":false"))
            _ = try await visitor.pulse(tab: "next", isVisible: false)
            #expect(try await visitor.pulse(tab: "next").text.contains("\"isLocked\":true"))
        }
    }

    @Test("P-5, W-2: without a passcode, one failed read of the store ends no session")
    func unreadableStore() async throws {
        var bench = bench
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        bench.store = store
        try await Application(router: bench.router).test(.router) { client in
            let visitor = try await Visitor.signedIn(client)
            _ = try await visitor.pulse()
            store.failNext(.read, with: SecretStoreError(code: .unreachable, message: "no answer"))
            _ = try await visitor.pulse(isVisible: false)
            try await visitor.waitFor(locked)
            try await visitor.type("111111", on: try await visitor.page().pageName)
            try await visitor.waitFor(.ok)
        }
    }
}
#endif
