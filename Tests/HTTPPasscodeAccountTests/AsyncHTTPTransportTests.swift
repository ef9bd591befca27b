#if AsyncHTTPTransport
import Foundation
import HTTPPasscodeAccount
import NIOCore
import NIOPosix
import PortcullisCore
import Testing

@Suite("async-http-client as a transport", .timeLimit(.minutes(5)))
struct AsyncHTTPTransportTests {
    private static let token = "t0ken-of-the-session"
    private static let passcode = "493817"

    func post(_ address: String) throws -> HTTPTransportRequest {
        HTTPTransportRequest(
            .post,
            try #require(URL(string: address)),
            token: BearerToken(SecretBytes(copying: Self.token.utf8)),
            body: SecretBytes(copying: Self.passcode.utf8)
        )
    }

    /// The error of a request that must not succeed.
    func failure(
        of request: HTTPTransportRequest,
        _ environment: [String: String] = [:],
        _ limits: HTTPTransportLimits = HTTPTransportLimits()
    ) async throws -> HTTPTransportError? {
        var failure: HTTPTransportError?
        try await AccountTransport.asyncHTTP.run(limits, environment: environment) { transport in
            do throws(HTTPTransportError) { _ = try await transport.send(request) } catch { failure = error }
        }
        return failure
    }

    // MARK: Proxies

    @Test(
        "P-50: TLS goes through the environment's proxy, which gets a name and nothing that is secret",
        arguments: [
            ScriptedServer.Reply.answer(407, "", ["Proxy-Authenticate": "Basic realm=\"x\""]),
            .answer(502, ""), .answer(302, "", ["Location": "https://elsewhere.example/"]), .hangUp,
            .raw("HTTP/1.1 200 OK\r\n\r\nno TLS at all"), .raw("nonsense\r\n\r\n"), .silence,
        ]
    )
    func tunnel(_ reply: ScriptedServer.Reply) async throws {
        let proxy = try ScriptedServer(reply)
        defer { proxy.stop() }
        let error = try await failure(
            of: post("https://accounts.example/api/passcode/verify"),
            ["https_proxy": "http://user:word@127.0.0.1:\(proxy.port)"],
            HTTPTransportLimits(idleTimeout: .milliseconds(500), timeout: .seconds(20))
        )
        let found = try #require(error)
        #expect([.unreachable, .timedOut, .invalidAnswer].contains(found.code), "\(found)")
        #expect(!found.mayBeCarriedOut, "the server was never reached")
        #expect(proxy.arrivals.map(\.line) == ["CONNECT accounts.example:443 HTTP/1.1"])
        let fields = proxy.arrivals[0].fields
        #expect(fields["authorization"] == nil && proxy.arrivals[0].body.isEmpty)
        #expect(fields["proxy-authorization"] == "Basic dXNlcjp3b3Jk")
    }

    @Test("P-50: a host that needs no proxy is asked directly, and this machine always is for plain HTTP")
    func withoutProxy() async throws {
        let proxy = try ScriptedServer()
        let server = try ScriptedServer(.answer(200, "{}"))
        defer {
            proxy.stop()
            server.stop()
        }
        let environment = [
            "http_proxy": proxy.url.absoluteString, "https_proxy": proxy.url.absoluteString,
            "no_proxy": "localhost",
        ]
        try await AccountTransport.asyncHTTP.run(environment: environment) { transport in
            let answer = try await transport.send(post("\(server.url)/api"))
            #expect(answer.status == 200)
        }
        #expect(server.arrivals[0].body == Self.passcode)
        // A port at which nothing listens.
        let error = try await failure(of: post("https://localhost:1/api"), environment)
        #expect(error?.code == .unreachable && error?.mayBeCarriedOut == false)
        #expect(proxy.arrivals.isEmpty)
    }

    @Test(
        "P-50: a proxy of a kind that is not known is refused before anything is sent, not passed by",
        arguments: [
            "socks4://127.0.0.1", "https://proxy.example", "ftp://proxy.example", "http://", "http:// x",
            "http://127.0.0.1:70000",
        ]
    )
    func unknownProxy(_ proxy: String) async throws {
        let request = try post("https://accounts.example")
        let error = try await failure(of: request, ["all_proxy": proxy])
        #expect(error?.code == .unsafe && error?.mayBeCarriedOut == false)
        try await AccountTransport.asyncHTTP.run(environment: ["all_proxy": proxy]) { transport in
            #expect(throws: HTTPTransportError.self) { try transport.check(request.url) }
        }
    }

    // MARK: Its end

    @Test("P-50: ended while a request is under way, it ends that; after its end nothing is sent")
    func shutdown() async throws {
        let server = try ScriptedServer(.silence, .silence)
        defer { server.stop() }
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let transport = AsyncHTTPTransport(on: loops, environment: [:])
        let request = try post("\(server.url)/api")
        async let underWay = Self.error(transport, request)
        while server.arrivals.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        try await transport.shutdown()
        let error = await underWay
        #expect(error?.mayBeCarriedOut == true)
        let late = await Self.error(transport, request)
        #expect(late?.code == .unreachable && late?.mayBeCarriedOut == false)
        #expect(server.arrivals.count == 1)
        await #expect(throws: (any Error).self) { try await transport.shutdown() }
        try await loops.shutdownGracefully()
    }

    private static func error(
        _ transport: AsyncHTTPTransport,
        _ request: HTTPTransportRequest
    ) async -> HTTPTransportError? {
        do throws(HTTPTransportError) {
            _ = try await transport.send(request)
            return nil
        } catch {
            return error
        }
    }
}
#endif
