#if HummingbirdLock
import Foundation
import Hummingbird
import HummingbirdLock
import HummingbirdTesting
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("Tries over many connections (P-6, W-2)", .timeLimit(.minutes(5)))
struct CountingTests {
    private func bench(_ throttle: ThrottlePolicy) -> WebBench {
        var bench = WebBench {
            $0.maximumSessionsOfUser = 100
            $0.maximumPostsPerSecond = 1_000_000
        }
        bench.throttle = throttle
        return bench
    }

    /// Locked sessions of one user, each with the name of its page.
    private func visitors(_ count: Int, _ client: any TestClientProtocol) async throws -> [(Visitor, String)]
    {
        var visitors: [(Visitor, String)] = []
        for _ in 0..<count {
            let visitor = try await Visitor.signedIn(client)
            try await visitor.lockNow()
            visitors.append((visitor, try await visitor.page().pageName))
        }
        return visitors
    }

    /// How many each session makes. Each try of one session is written against those of 49 others, so 10,000 in all take
    /// minutes; `make torture` makes as many.
    private static let tries =
        ProcessInfo.processInfo.environment["PORTCULLIS_TORTURE"] == nil ? 20 : 200

    @Test("W-2: wrong tries over 50 sessions at once are counted exactly, 10,000 in the long form")
    func exact() async throws {
        let bench = bench(.unlimited)
        try await bench.setPasscode()
        try await Application(router: bench.router).test(.router) { client in
            let visitors = try await visitors(50, client)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (visitor, page) in visitors {
                    group.addTask {
                        for count in 1...Self.tries {
                            try await visitor.typeWhenReady("111111", on: page, count: count)
                        }
                        try await visitor.typeWhenReady("", on: page, count: Self.tries + 1)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await bench.service().status().failures == 50 * Self.tries)
        }
    }

    @Test("P-7, W-2: with the standard delays five are counted, whatever comes at once from wherever")
    func throttled() async throws {
        let bench = bench(.escalating)
        try await bench.setPasscode()
        try await Application(router: bench.router).test(.router) { client in
            let visitors = try await visitors(50, client)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (visitor, page) in visitors {
                    group.addTask {
                        for count in 1...20 { try await visitor.type("111111", on: page, count: count) }
                        // The right one is not looked at either.
                        try await visitor.type(WebBench.right, on: page, count: 21)
                    }
                }
                try await group.waitForAll()
            }
            try await bench.waitForFailures(5)
            for (visitor, _) in visitors {
                #expect(try await visitor.send(.get, "/api/orders").status.code == 423)
            }
            #expect(try await bench.service().status().failures == 5)
        }
    }
}
#endif
