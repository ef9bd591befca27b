#if HummingbirdLock
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

    @Test("W-2: 10,000 wrong tries over 50 sessions at once are counted exactly")
    func exact() async throws {
        let bench = bench(.unlimited)
        try await bench.setPasscode()
        try await Application(router: bench.router).test(.router) { client in
            let visitors = try await visitors(50, client)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (visitor, page) in visitors {
                    group.addTask {
                        for count in 1...200 {
                            try await visitor.typeWhenReady("111111", on: page, count: count)
                        }
                        try await visitor.typeWhenReady("", on: page, count: 201)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await bench.service().status().failures == 10_000)
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
                        for count in 1...50 { try await visitor.type("111111", on: page, count: count) }
                        // The right one is not looked at either.
                        try await visitor.type(WebBench.right, on: page, count: 51)
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
