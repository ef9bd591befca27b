#if HummingbirdLock
import Hummingbird
import HummingbirdTesting
import PasscodeLock
import PortcullisTesting
import Synchronization
import Testing

@testable import HummingbirdLock

@Suite("The end of sessions (W-2, P-33)", .timeLimit(.minutes(5)))
struct SessionEndTests {
    @Test("P-33, W-2: the gates of a person's sessions end before the sessions have a turn")
    func gatesEndAtOnce() async throws {
        let bench = WebBench()
        let shared = SharedConfiguration(WebLockConfiguration())
        let table = SessionTable(shared, clock: bench.clock)
        let session = WebSession(
            try bench.service(),
            attachment: nil,
            prompts: nil,
            clock: bench.clock,
            shared: shared,
            forget: { _ in },
            endAll: { _ in }
        )
        #expect(await table.add(session))
        await session.start()
        // The session is busy with this call, so its own end waits.
        func end(_ session: isolated WebSession) -> [Bool] {
            table.endAll(of: session.user)
            session.draw()
            return [session.gate.isOver, session.gate.isOpen]
        }
        #expect(await end(session) == [true, false])
    }

    /// The results that a host was told.
    private final class Results: Sendable {
        private let told = Mutex<[Bool]>([])

        var all: [Bool] { told.withLock(\.self) }

        func tell(_ isUnlocked: Bool) { told.withLock { $0.append(isUnlocked) } }
    }

    @Test("W-2: a host that prepares for a session which ends meanwhile is told to undo its work")
    func endWhilePreparing() async throws {
        let (gate, results) = (Gate(), Results())
        let bench = WebBench {
            $0.prepare = { _, _ in await gate.pass() ? .admitted : .refused(message: nil) }
            $0.settled = { results.tell($1) }
        }
        try await bench.setPasscode()
        gate.close()
        try await Application(router: bench.router).test(.router) { client in
            let visitor = try await Visitor.signedIn(client)
            try await visitor.lockNow()
            try await visitor.type(WebBench.right, on: try await visitor.page().pageName)
            await gate.waitForHeld(1)
            _ = try await Visitor.signedIn(client, cookie: visitor.cookie)
            gate.open()
            try await BoundedWait.until("the result") { !results.all.isEmpty }
            #expect(results.all == [false])
        }
    }

    @Test("P-7, W-2: at a limit that is left to another process no session of the person ends")
    func limitLeftToApp() async throws {
        var bench = WebBench()
        bench.throttle = .unlimited.afterFailures(1, .signOut)
        bench.carriesOutLimitAction = false
        try await bench.setPasscode()
        try await Application(router: bench.router).test(.router) { client in
            let (one, other) = (try await Visitor.signedIn(client), try await Visitor.signedIn(client))
            try await one.lockNow()
            try await one.type("111111", on: try await one.page().pageName)
            try await BoundedWait.until("the message", every: .milliseconds(1)) {
                try await one.page().text.contains("Too many wrong passcodes")
            }
            for _ in 0..<100 { await Task.yield() }
            #expect(try await other.send(.get, "/api/orders").status == .ok)
            #expect(try await one.send(.get, "/api/orders").status.code == 423)
        }
    }

    @Test("P-7, W-2: the last wrong passcode ends all of the person's sessions, also if its own ended before")
    func limitAfterTheEnd() async throws {
        var bench = WebBench()
        bench.throttle = .unlimited.afterFailures(1, .signOut)
        try await bench.setPasscode()
        let sealer = bench.sealer
        try await Application(router: bench.router).test(.router) { client in
            let (one, other) = (try await Visitor.signedIn(client), try await Visitor.signedIn(client))
            try await one.lockNow()
            let page = try await one.page().pageName
            sealer.gate.close()
            try await one.type("111111", on: page)
            await sealer.gate.waitForHeld(1)
            let stranger = try await Visitor.signedIn(client, user: "bob", cookie: one.cookie)
            sealer.gate.open()
            try await other.waitFor(.unauthorized)
            #expect(try await stranger.send(.get, "/api/orders").status == .ok)
        }
    }

    @Test("W-2: sessions expire when they are silent, and after their life")
    func expiry() async throws {
        let bench = WebBench()
        try await bench.setPasscode()
        try await Application(router: bench.router).test(.router) { client in
            let visitor = try await Visitor.signedIn(client)
            await bench.clock.advance(by: .seconds(12 * 3600))
            #expect(try await visitor.page().headers[.location] == "/login")
            let other = try await Visitor.signedIn(client)
            for _ in 0..<62 {
                await bench.clock.advance(by: .seconds(11 * 3600 + 3540))
                _ = try await other.pulse()
            }
            #expect(try await other.page().headers[.location] == "/login")
        }
    }

    @Test("W-2: a session that expires ends also while no request comes")
    func expiryWithoutARequest() async throws {
        let bench = WebBench()
        try await bench.setPasscode()
        try await Application(router: bench.router).test(.router) { client in
            try await bench.service().setTimeout(.never)
            let visitor = try await Visitor.signedIn(client)
            await bench.clock.advance(by: .seconds(6 * 3600))
            _ = try await visitor.page()
            await bench.clock.advance(by: .seconds(6 * 3600 + 60))
            #expect(bench.lock.sessionCount == 1)
            await bench.clock.advance(by: .seconds(6 * 3600))
            try await BoundedWait.until("the session's end") { bench.lock.sessionCount == 0 }
        }
    }

    @Test("W-2: sessions are bounded, for each user and in all")
    func bounded() async throws {
        let bench = WebBench {
            $0.maximumSessions = 5
            $0.maximumSessionsOfUser = 3
        }
        try await Application(router: bench.router).test(.router) { client in
            var visitors: [Visitor] = []
            for _ in 0..<4 {
                visitors.append(try await Visitor.signedIn(client))
                await bench.clock.advance(by: .seconds(1))
            }
            #expect(bench.lock.sessionCount == 3)
            #expect(try await visitors[0].send(.get, "/api/orders").status == .unauthorized)
            #expect(try await visitors[3].send(.get, "/api/orders").status == .ok)
            _ = try await Visitor.signedIn(client, user: "bob")
            _ = try await Visitor.signedIn(client, user: "eve")
            #expect(bench.lock.sessionCount == 5)
            #expect(
                try await Visitor(client: client).send(.post, "/login?user=zoe").status
                    == .internalServerError
            )
            await bench.clock.advance(by: .seconds(13 * 3600))
            #expect(try await Visitor.signedIn(client, user: "zoe").cookie.isEmpty == false)
            // Sessions that have ended are taken away by tasks of their own.
            try await BoundedWait.until("the end of the others") { bench.lock.sessionCount == 1 }
        }
    }
}
#endif
