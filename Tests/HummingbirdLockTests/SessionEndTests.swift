#if HummingbirdLock
import Dispatch
import Foundation
import Hummingbird
import HummingbirdLock
import HummingbirdTesting
import PasscodeLock
import PortcullisTesting
import Synchronization
import Testing

@Suite("The end of sessions (W-2, P-33)", .timeLimit(.minutes(5)))
struct SessionEndTests {
    /// Keeps a session busy until the test releases it.
    private final class Blockade: Sendable {
        private let (begun, begin) = AsyncStream<Void>.makeStream()
        private let released = DispatchSemaphore(value: 0)

        func hold(_ session: isolated WebSession) {
            begin.yield()
            // A test that fails before it releases the session must still end.
            _ = released.wait(timeout: .now() + 240)
        }

        func hasBegun() async { for await _ in begun { return } }
        func release() { released.signal() }
    }

    @Test(
        "P-33, W-2: logging out ends the person's other sessions at once, also one that is busy",
        .enabled(if: ProcessInfo.processInfo.activeProcessorCount > 2, "one thread is kept busy")
    )
    func busySession() async throws {
        let blockade = Blockade()
        let bench = WebBench { $0.screens["busy"] = { session in blockade.hold(session) } }
        try await bench.setPasscode()
        try await Application(router: bench.router).test(.router) { client in
            let (one, other) = (try await Visitor.signedIn(client), try await Visitor.signedIn(client))
            try await one.lockNow()
            let opening = Task { try await other.page("/_lock/screen/busy") }
            defer { blockade.release() }
            await blockade.hasBegun()
            var posts = try await PagePosts(of: one)
            try await posts.post("activate=forgot", until: "Your passcode will be removed")
            try await posts.post("activate=logout")
            try await other.waitFor(.unauthorized)
            blockade.release()
            #expect(try await opening.value.status == .seeOther)
        }
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
}
#endif
