#if HummingbirdLock
import Foundation
import Hummingbird
import HummingbirdLock
import HummingbirdTesting
import Logging
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("Responses under way (W-2)", .timeLimit(.minutes(5)))
struct StreamTests {
    private let bench = WebBench()

    private func serve(_ body: @Sendable @escaping (any TestClientProtocol, Int) async throws -> Void)
        async throws
    {
        try await bench.setPasscode()
        var logger = Logger(label: "web-bench")
        logger.logLevel = .critical
        let app = Application(
            router: bench.router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            logger: logger
        )
        try await app.test(.live) { try await body($0, $0.port ?? 0) }
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
}
#endif
