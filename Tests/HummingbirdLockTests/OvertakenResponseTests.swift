#if HummingbirdLock
import HTTPTypes
import Hummingbird
import HummingbirdLock
import HummingbirdTesting
import NIOCore
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("Responses that a lock overtakes (W-2)", .timeLimit(.minutes(5)))
struct OvertakenResponseTests {
    private let bench = WebBench()
    private let begun: AsyncStream<Void>
    private let begin: AsyncStream<Void>.Continuation

    init() { (begun, begin) = AsyncStream<Void>.makeStream() }

    /// The app with a response and an error that the test holds up, and a response that ends the session.
    private var router: Router<BasicRequestContext> {
        let router = bench.router
        let held = { @Sendable [bench, begin] in
            begin.yield(())
            for await _ in bench.parts { break }
        }
        router.get("/late") { _, _ in
            await held()
            return WebBench.content
        }
        router.get("/conflict") { _, _ -> Response in
            await held()
            throw HTTPError(.conflict, message: WebBench.content)
        }
        router.get("/late-conflict") { _, _ in
            Response(
                status: .ok,
                body: ResponseBody(contentLength: 100) { _ in
                    await held()
                    throw HTTPError(.conflict, message: WebBench.content)
                }
            )
        }
        router.post("/farewell") { [bench] request, _ in
            let cookie = await bench.lock.signOut(request)
            let content = ByteBuffer(string: WebBench.content)
            var response = Response(status: .ok, body: .init(byteBuffer: content))
            response.setCookie(cookie)
            return response
        }
        return router
    }

    private func run(_ body: @Sendable @escaping (Visitor) async throws -> Void) async throws {
        try await bench.setPasscode()
        try await Application(router: router).test(.router) { client in
            try await body(try await Visitor.signedIn(client))
        }
    }

    @Test(
        "W-2: a response, or an error with a text, that the lock overtakes is dropped",
        arguments: ["/late", "/conflict"]
    )
    func overtaken(_ path: String) async throws {
        try await run { visitor in
            async let answer = visitor.send(.get, path)
            for await _ in begun { break }
            try await visitor.lockNow()
            bench.part.yield(())
            let (status, text) = (try await answer.status.code, try await answer.text)
            #expect(status == 423 && !text.contains(WebBench.content))
        }
    }

    @Test("W-2: an error of a body sends no text of its own, locked or not", arguments: [true, false])
    func errorOfBody(isOvertaken: Bool) async throws {
        try await run { visitor in
            async let answer = visitor.send(.get, "/late-conflict")
            for await _ in begun { break }
            if isOvertaken { try await visitor.lockNow() }
            bench.part.yield(())
            let (status, text) = (try await answer.status.code, try await answer.text)
            #expect(status == 500 && !text.contains(WebBench.content))
        }
    }

    @Test("W-2: an error with a text is content too: it is kept by no cache and framed by no site")
    func error() async throws {
        try await run { visitor in
            bench.part.yield(())
            let answer = try await visitor.send(.get, "/conflict")
            #expect(answer.status == .conflict && answer.text.contains(WebBench.content))
            #expect(answer.headers[.cacheControl] == "no-store")
            #expect(answer.headers[.contentSecurityPolicy] == "frame-ancestors 'none'")
        }
    }

    @Test("W-2: instead of content a session that has ended gets the sign-in, with the host's cookie")
    func ended() async throws {
        try await run { visitor in
            let answer = try await visitor.send(.post, "/farewell", Visitor.ofScript)
            #expect(answer.status == .unauthorized && !answer.text.contains(WebBench.content))
            #expect(answer.headers[.setCookie]?.contains("Max-Age=0") == true)
        }
    }

    @Test(
        "W-2: a request that the session's end overtakes gets the sign-in, and nothing of an open screen",
        arguments: ["/", "/_lock/security", "/_lock/input?/"]
    )
    func endedUnderScreen(_ path: String) async throws {
        var bench = bench
        let store = GatedStore(base: InMemorySecretStore(bench.storage))
        bench.store = store
        try await bench.setPasscode()
        try await Application(router: bench.router).test(.router) { client in
            let visitor = try await Visitor.signedIn(client)
            try await BoundedWait.until("the settings") {
                try await visitor.page("/_lock/security").text.contains("Require Passcode")
            }
            for isVisible in [true, false] { _ = try await visitor.pulse(isVisible: isVisible) }
            // The lock also reads when the person leaves. That read passes.
            try await Task.sleep(for: .milliseconds(50))
            store.reads.close()
            async let answer = visitor.page(path)
            await store.reads.waitForHeld(1)
            _ = try await visitor.send(.post, "/logout")
            store.reads.open()
            let (place, text) = (try await answer.headers[.location], try await answer.text)
            #expect(place == "/login" && !text.contains("Require Passcode"))
        }
    }
}
#endif
