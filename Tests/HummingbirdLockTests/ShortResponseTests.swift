#if HummingbirdLock
import HTTPTypes
import Hummingbird
import HummingbirdLock
import HummingbirdTesting
import NIOCore
import Testing

@Suite("Short responses through the gate (W-2)", .timeLimit(.minutes(5)))
struct ShortResponseTests {
    private let bench = WebBench()
    private let begun: AsyncStream<Void>
    private let begin: AsyncStream<Void>.Continuation

    init() { (begun, begin) = AsyncStream<Void>.makeStream() }

    /// The app with a response that is made in two parts, one that ends the session, and one that is longer than it says.
    private var router: Router<BasicRequestContext> {
        let router = bench.router
        router.get("/parts") { _, _ in
            let length = 2 * WebBench.content.utf8.count
            return Response(
                status: .ok,
                body: ResponseBody(contentLength: length) { [bench, begin] writer in
                    try await writer.write(ByteBuffer(string: WebBench.content))
                    begin.yield(())
                    for await _ in bench.parts { break }
                    try await writer.write(ByteBuffer(string: WebBench.content))
                    try await writer.finish(nil)
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
        router.get("/longer") { _, _ in
            Response(
                status: .ok,
                body: ResponseBody(contentLength: 4) { writer in
                    try await writer.write(ByteBuffer(string: WebBench.content))
                    try await writer.finish(nil)
                }
            )
        }
        return router
    }

    private func run(_ body: @Sendable @escaping (Visitor) async throws -> Void) async throws {
        try await bench.setPasscode()
        try await Application(router: router).test(.router) { client in
            try await body(try await Visitor.signedIn(client))
        }
    }

    @Test("W-2: a short response that is made in parts arrives whole")
    func whole() async throws {
        try await run { visitor in
            bench.part.yield(())
            let answer = try await visitor.send(.get, "/parts")
            #expect(answer.status == .ok && answer.text == WebBench.content + WebBench.content)
        }
    }

    @Test("W-2: of a short response that the lock overtakes no byte is sent")
    func overtaken() async throws {
        try await run { visitor in
            async let answer = visitor.send(.get, "/parts")
            for await _ in begun { break }
            try await visitor.lockNow()
            bench.part.yield(())
            let (status, text) = (try await answer.status.code, try await answer.text)
            #expect(status == 423 && !text.contains(WebBench.content))
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

    @Test("W-2: a response that is longer than it declares is an error, and no content")
    func longer() async throws {
        try await run { visitor in
            let answer = try await visitor.send(.get, "/longer")
            #expect(answer.status == .internalServerError && !answer.text.contains(WebBench.content))
        }
    }
}
#endif
