#if HummingbirdLock
import HTTPTypes
import Hummingbird
import HummingbirdLock
import HummingbirdTesting
import Logging
import NIOCore
import Testing

@Suite("Responses in one write (W-2)", .timeLimit(.minutes(5)))
struct ConnectionContextTests {
    private let bench = WebBench()

    private func run(
        _ kind: TestingSetup = .live,
        _ add: (Router<WebLockRequestContext>) -> Void,
        _ body: @Sendable @escaping (Visitor) async throws -> Void
    ) async throws {
        try await bench.setPasscode()
        let router = bench.router(behind: bench.lock.gate(for: WebLockRequestContext.self))
        add(router)
        var logger = Logger(label: "web-bench")
        logger.logLevel = .critical
        let app = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            logger: logger
        )
        try await app.test(kind) { client in try await body(try await Visitor.signedIn(client)) }
    }

    @Test("W-2: a body arrives whole, whether it was one buffer, several, or has trailers")
    func whole() async throws {
        try await run { router in
            for (path, trailers) in [("/parts", nil), ("/trailers", [.init("Sum")!: "3"] as HTTPFields)] {
                router.get(RouterPath(path)) { _, _ in
                    Response(
                        status: .ok,
                        body: ResponseBody(contentLength: 9) { writer in
                            for part in ["one", "two", "six"] {
                                try await writer.write(ByteBuffer(string: part))
                            }
                            try await writer.finish(trailers)
                        }
                    )
                }
            }
        } _: { visitor in
            for (path, size) in [("/parts", 9), ("/trailers", 9), ("/picture", 60_000), ("/large", 100_000)] {
                for _ in 0..<2 {
                    let text = try await visitor.send(.get, path).text
                    #expect(size > 9 ? text.utf8.count == size : text == "onetwosix", "\(path)")
                }
            }
        }
    }

    @Test("W-2: a lock overtakes a short body that is still being made")
    func overtaken() async throws {
        let (begun, begin) = AsyncStream<Void>.makeStream()
        // Over one connection the lock would wait for the response.
        try await run(.router) { router in
            router.get("/late") { [bench] _, _ in
                Response(
                    status: .ok,
                    body: ResponseBody(contentLength: WebBench.content.utf8.count) { writer in
                        begin.yield(())
                        for await _ in bench.parts { break }
                        try await writer.write(ByteBuffer(string: WebBench.content))
                        try await writer.finish(nil)
                    }
                )
            }
        } _: { [bench] visitor in
            async let answer = visitor.send(.get, "/late")
            for await _ in begun { break }
            try await visitor.lockNow()
            bench.part.yield(())
            let (status, text) = (try await answer.status.code, try await answer.text)
            #expect(status == 423 && !text.contains(WebBench.content))
        }
    }

    @Test(
        "W-2: a body that fails, or is longer than it says, ends the connection and tells nothing",
        arguments: ["/failing", "/lying"]
    )
    func failing(_ path: String) async throws {
        try await run { router in
            router.get("/failing") { _, _ in
                Response(
                    status: .ok,
                    body: ResponseBody(contentLength: 9) { writer in
                        try await writer.write(ByteBuffer(string: "one"))
                        throw HTTPError(.conflict, message: WebBench.content)
                    }
                )
            }
            router.get("/lying") { _, _ in
                Response(
                    status: .ok,
                    body: ResponseBody(contentLength: 9) { writer in
                        try await writer.write(ByteBuffer(repeating: 0x58, count: 70_000))
                        try await writer.finish(nil)
                    }
                )
            }
        } _: { visitor in
            await #expect(throws: (any Error).self) { _ = try await visitor.send(.get, path) }
        }
    }
}
#endif
