#if HummingbirdLock
import Foundation
import Hummingbird
import HummingbirdLock
import HummingbirdTesting
import Logging
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@Suite("Responses under way (W-2)", .timeLimit(.minutes(5)))
struct StreamTests {
    private let bench = WebBench()

    /// - Returns: when the body had ended.
    @discardableResult
    private func serve(
        _ other: WebBench? = nil,
        _ body: @Sendable @escaping (any TestClientProtocol, Int) async throws -> Void
    ) async throws -> ContinuousClock.Instant {
        let bench = other ?? bench
        try await bench.setPasscode()
        var logger = Logger(label: "web-bench")
        logger.logLevel = .critical
        let app = Application(
            router: bench.router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            logger: logger
        )
        return try await app.test(.live) {
            try await body($0, $0.port ?? 0)
            return ContinuousClock.now
        }
    }

    @Test(
        "W-2: of a response that is streamed no byte comes later than 100 ms after the lock, and the connection ends"
    )
    func streamed() async throws {
        try await serve { client, port in
            let visitor = try await Visitor.signedIn(client)
            let connection = try RawConnection(port: port)
            try connection.ask("GET /slow HTTP/1.1\r\nHost: localhost\r\nCookie: \(visitor.cookie)\r\n\r\n")
            let producer = Task {
                while !Task.isCancelled {
                    bench.part.yield(())
                    try? await Task.sleep(for: .milliseconds(1))
                }
            }
            defer { producer.cancel() }
            let arrivals = Task { await connection.readToEnd() }
            try await Task.sleep(for: .milliseconds(500))
            try await visitor.lockNow()
            let locked = ContinuousClock.now
            let (bytes, last) = await arrivals.value
            #expect(bytes > 300)
            #expect(last - locked <= .milliseconds(100), "\(last - locked)")
        }
    }

    @Test("W-2: one whose reader takes nothing is given up with its connection")
    func slowReader() async throws {
        try await serve { client, port in
            let visitor = try await Visitor.signedIn(client)
            let connection = try RawConnection(port: port)
            try connection.ask(
                "GET /endless HTTP/1.1\r\nHost: localhost\r\nCookie: \(visitor.cookie)\r\n\r\n"
            )
            try await Task.sleep(for: .milliseconds(300))
            try await visitor.lockNow()
            try await Task.sleep(for: .milliseconds(100))
            // What the system had taken comes, and then the end.
            let (bytes, _) = await Task { await connection.readToEnd() }.value
            #expect(bytes > 0)
        }
    }

    @Test("W-2: short responses that wait for a full connection are cut off with it")
    func fullConnection() async throws {
        try await serve { client, port in
            let visitor = try await Visitor.signedIn(client)
            let connection = try RawConnection(port: port)
            // 24 MB are more than the system takes for a reader that takes nothing.
            let request = "GET /picture HTTP/1.1\r\nHost: localhost\r\nCookie: \(visitor.cookie)\r\n\r\n"
            try connection.ask(String(repeating: request, count: 1600))
            // The connection is full once the app has made no picture for some time.
            var (made, since) = (0, ContinuousClock.now)
            try await BoundedWait.until(
                "the connection is full",
                limit: .seconds(120),
                every: .milliseconds(20)
            ) {
                let count = bench.pictures.count
                if count != made { (made, since) = (count, .now) }
                return count > 0 && ContinuousClock.now - since > .seconds(3)
            }
            #expect(made < 1600)
            try await visitor.lockNow()
            #expect(await connection.ends())
        }
    }

    @Test("W-2: a short response with slow parts is sent whole, or not at all after a lock")
    func slowParts() async throws {
        try await serve { client, port in
            let visitor = try await Visitor.signedIn(client)
            for isLocked in [false, true] {
                let connection = try RawConnection(port: port)
                try connection.ask(
                    "GET /parts HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nCookie: \(visitor.cookie)\r\n\r\n"
                )
                bench.part.yield(())
                if isLocked {
                    try await Task.sleep(for: .milliseconds(100))
                    try await visitor.lockNow()
                }
                bench.part.yield(())
                let answer = await connection.read(until: "never")
                #expect(answer.hasPrefix(isLocked ? "HTTP/1.1 423" : "HTTP/1.1 200"))
                #expect(answer.components(separatedBy: WebBench.content).count == (isLocked ? 1 : 3))
            }
        }
    }

    @Test("W-2: a short response whose body fails is no content, but an error")
    func failingBody() async throws {
        try await serve { client, port in
            let visitor = try await Visitor.signedIn(client)
            let answer = try await visitor.send(.get, "/failing")
            #expect(answer.status == .internalServerError)
            #expect(!String(buffer: answer.body).contains(WebBench.content))
            // A body that is longer than it says is refused as well.
            #expect(try await visitor.send(.get, "/longer").status == .internalServerError)
        }
    }

    @Test("W-2: the stream of events tells of the lock within a second, and goes on")
    func events() async throws {
        try await serve { client, port in
            let visitor = try await Visitor.signedIn(client)
            let connection = try RawConnection(port: port)
            try connection.ask(
                "GET /_lock/stream HTTP/1.1\r\nHost: localhost\r\nCookie: \(visitor.cookie)\r\n\r\n"
            )
            let first = await connection.read(until: "\"isLocked\":false")
            #expect(first.contains("text/event-stream"))
            let began = ContinuousClock.now
            try await visitor.lockNow()
            let second = await connection.read(until: "\"isLocked\":true")
            #expect(second.contains("Enter Passcode"))
            #expect(ContinuousClock.now - began < .seconds(1))
        }
    }

    @Test("W-2: the stream of events tells of the session's end, and then ends itself")
    func over() async throws {
        try await serve { client, port in
            let visitor = try await Visitor.signedIn(client)
            let connection = try RawConnection(port: port)
            try connection.ask(
                "GET /_lock/stream HTTP/1.1\r\nHost: localhost\r\nCookie: \(visitor.cookie)\r\n\r\n"
            )
            _ = await connection.read(until: "\"isOver\":false")
            _ = try await visitor.send(.post, "/logout", Visitor.ofScript)
            let end = await connection.read(until: "\r\n0\r\n\r\n")
            #expect(end.contains("\"isOver\":true"))
            #expect(end.hasSuffix("\r\n0\r\n\r\n"))
        }
    }

    @Test("W-2: a stream of events that is open does not hold up the server's end")
    func shutdown() async throws {
        let open = Mutex<RawConnection?>(nil)
        let began = try await serve { client, port in
            let visitor = try await Visitor.signedIn(client)
            let connection = try RawConnection(port: port)
            try connection.ask(
                "GET /_lock/stream HTTP/1.1\r\nHost: localhost\r\nCookie: \(visitor.cookie)\r\n\r\n"
            )
            _ = await connection.read(until: "\"isOver\":false")
            open.withLock { $0 = connection }
        }
        #expect(ContinuousClock.now - began < .seconds(10))
        #expect(open.withLock { $0 != nil })
    }

    @Test("W-2: a stream whose request has a body ends with its reader as well, and holds up nothing")
    func bodyOfStream() async throws {
        let left = Mutex<[RawConnection]>([])
        let began = try await serve { client, port in
            let visitor = try await Visitor.signedIn(client)
            for isEnded in [true, false] {
                let connection = try RawConnection(port: port)
                try connection.ask(
                    "GET /_lock/stream HTTP/1.1\r\nHost: localhost\r\nCookie: \(visitor.cookie)\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n"
                )
                _ = await connection.read(until: "\"isOver\":false")
                for _ in 0..<12 {
                    try connection.ask("1\r\nx\r\n")
                    try await Task.sleep(for: .milliseconds(20))
                }
                if isEnded {
                    connection.end()
                    #expect(await connection.readToEnd().bytes < 10_000)
                } else {
                    left.withLock { $0.append(connection) }
                }
            }
            left.withLock { $0 = [] }
        }
        #expect(ContinuousClock.now - began < .seconds(10))
    }

    @Test("W-2: a stream of events whose reader takes nothing ends after five seconds")
    func unread() async throws {
        // Each key makes a large event, so that fewer of them fill the connection.
        let bench = WebBench {
            $0.strings.digitsEntered += String(repeating: "…", count: 20_000)
            $0.maximumPostsPerSecond = 1_000_000
        }
        try await serve(bench) { client, port in
            let visitor = try await Visitor.signedIn(client)
            try await visitor.lockNow()
            let connection = try RawConnection(port: port)
            try connection.ask(
                "GET /_lock/stream HTTP/1.1\r\nHost: localhost\r\nCookie: \(visitor.cookie)\r\n\r\n"
            )
            var posts = try await PagePosts(of: visitor)
            let due = ClockDeadline.sinceBoot(bench.clock.now.sinceBoot + .seconds(5))
            // The connection is full once a write has waited for some time.
            var posted = ContinuousClock.now
            try await BoundedWait.until("a write waits", every: .milliseconds(5)) {
                if bench.clock.deadlines.contains(due) { return ContinuousClock.now - posted > .seconds(1) }
                for key in ["digit=1", "delete=1"] { try await posts.post(key) }
                posted = .now
                return false
            }
            await bench.clock.advance(by: .seconds(5))
            // What the system had taken comes, and then the end.
            #expect(await connection.ends())
        }
    }

    @Test("W-2: a stream of events whose reader has gone ends, though nothing happens")
    func gone() async throws {
        try await serve { client, port in
            let visitor = try await Visitor.signedIn(client)
            for _ in 0..<3 {
                let connection = try RawConnection(port: port)
                try connection.ask(
                    "GET /_lock/stream HTTP/1.1\r\nHost: localhost\r\nCookie: \(visitor.cookie)\r\n\r\n"
                )
                _ = await connection.read(until: "\"isOver\":false")
                connection.end()
                // The server closes its side as well.
                #expect(await connection.readToEnd().bytes < 10_000)
            }
        }
    }
}
#endif
