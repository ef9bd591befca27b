#if os(Linux)
import Foundation
import FoundationNetworking
import PortcullisCore
import PortcullisTesting
import Testing

@testable import HTTPPasscodeAccount

@Suite("An exchange of the system's client")
struct URLSessionExchangeTests {
    @Test("P-50: requests that are cancelled before they begin leave no session behind")
    func cancelledBefore() async {
        // A session holds descriptors; in a process of its own no other test has any.
        await #expect(processExitsWith: .success) {
            let server = try ScriptedServer()
            let request = URLRequest(url: server.url)
            let patient = HTTPTransportLimits(idleTimeout: .seconds(600), timeout: .seconds(600))
            let before = try openDescriptors()
            for _ in 0..<100 {
                let unsent = Task {
                    while !Task.isCancelled { await Task.yield() }
                    do throws(HTTPTransportError) {
                        _ = try await URLSessionExchange.send(request, patient)
                        return nil as HTTPTransportError.Code?
                    } catch {
                        return error.code
                    }
                }
                unsent.cancel()
                #expect(await unsent.value == .cancelled)
            }
            try await BoundedWait.until("the end of the sessions", every: .milliseconds(5)) {
                try openDescriptors() < before + 50
            }
            #expect(server.arrivals.isEmpty)
            server.stop()
        }
    }

    @Test("P-50: a session keeps nothing that a server tells it, and has the limits that it is given")
    func settings() {
        let limits = HTTPTransportLimits(idleTimeout: .milliseconds(1_500), timeout: .seconds(7))
        let settings = URLSessionExchange.settings(limits)
        #expect(settings.timeoutIntervalForRequest == 1.5 && settings.timeoutIntervalForResource == 7)
        #expect(settings.httpCookieStorage == nil && !settings.httpShouldSetCookies)
        #expect(settings.urlCache == nil && settings.urlCredentialStorage == nil)
    }

    @Test("P-50: an answer that is late is told apart from a server that is not there")
    func late() async throws {
        let server = try ScriptedServer(.silence)
        defer { server.stop() }
        let limits = HTTPTransportLimits(idleTimeout: .milliseconds(500), timeout: .seconds(60))
        let transport = URLSessionTransport(limits: limits, environment: [:])
        let request = HTTPTransportRequest(.get, server.url)
        let error = await #expect(throws: HTTPTransportError.self) { try await transport.send(request) }
        #expect(error?.code == .timedOut)
    }

    @Test("P-50: a request that was ended is told of by the first reason")
    func firstReason() {
        var state = URLSessionExchange.State()
        for reason in [HTTPTransportError.Code.invalidAnswer, .cancelled, .timedOut] { state.end(as: reason) }
        #expect(state.ending == .invalidAnswer)
    }

    @Test("P-50: plain HTTP that the environment leads to a proxy is not sent")
    func proxied() async throws {
        let server = try ScriptedServer()
        defer { server.stop() }
        let transport = URLSessionTransport(environment: ["http_proxy": "http://proxy.example"])
        let request = HTTPTransportRequest(.post, server.url, body: SecretBytes(copying: "{}".utf8))
        let error = await #expect(throws: HTTPTransportError.self) { try await transport.send(request) }
        #expect(error?.code == .unsafe && error?.mayBeCarriedOut == false)
        #expect(server.arrivals.isEmpty)
    }

    @Test(
        "P-50: a host goes through the proxy of its scheme, if it is no exception",
        arguments: [
            ([:], "http", "a", nil), (["http_proxy": "p"], "http", "a", "p"),
            (["http_proxy": "p"], "https", "a", nil),
            (["https_proxy": "s", "HTTPS_PROXY": "S"], "https", "a", "s"),
            (["HTTPS_PROXY": "S"], "https", "a", "S"), (["https_proxy": "s"], "http", "a", nil),
            (["http_proxy": "", "ALL_PROXY": "q"], "http", "a", "q"),
            (["http_proxy": "p", "no_proxy": "::1"], "http", "[::1]", nil),
            (["http_proxy": "p", "no_proxy": "b", "NO_PROXY": "*"], "http", "a", "p"),
            (["http_proxy": "p", "no_proxy": "*"], "http", "a", nil),
            (["http_proxy": "p", "no_proxy": "a,b c"], "http", "c", nil),
            (["http_proxy": "p", "no_proxy": "a,b c"], "http", "b", nil),
            (["http_proxy": "p", "no_proxy": "b.c"], "http", "a.b.c", nil),
            (["http_proxy": "p", "no_proxy": "b.c"], "http", "ab.c", "p"),
            (["http_proxy": "p", "no_proxy": ".b.c"], "http", "a.b.c", nil),
            (["http_proxy": "p", "no_proxy": ".b.c"], "http", "b.c", "p"),
        ] as [([String: String], String, String, String?)]
    )
    func proxies(_ variables: [String: String], _ scheme: String, _ host: String, _ proxy: String?) {
        #expect(ProxyEnvironment(variables).proxy(for: scheme, host) == proxy)
    }

    @Test(
        "P-50: an answer is read where it is not encoded",
        arguments: [
            (nil, true), ("", true), ("identity", true), ("Identity , \tIDENTITY", true), (",", true),
            ("gzip", false), ("identity, gzip", false), ("iden tity x", false),
        ]
    )
    func encodings(_ field: String?, _ isIdentity: Bool) {
        #expect(HTTPTransportAnswer.isIdentity(encoding: field) == isIdentity)
    }

    @Test("P-4: what Foundation is given of a secret are its own bytes, there as long as either is")
    func data() {
        for count in [0, 15, 40, 5_000] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            var secret: SecretBytes? = SecretBytes(copying: bytes)
            let place = secret?.withBytes { bytes in
                unsafe bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
            }
            var data = secret?.data
            weak var left: SecretBytes?
            left = secret
            secret = nil
            #expect(data == Data(bytes))
            let found = unsafe data?.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
            #expect(found == place || count == 0)
            #expect(left != nil || count == 0)
            data = nil
            #expect(left == nil)
        }
    }
}

private func openDescriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
}
#endif
