#if AsyncHTTPTransport
import PortcullisCore
import HTTPPasscodeAccount
import NIOSSL
import Testing

extension AsyncHTTPTransportTests {
    @Test("P-50: a server whose certificate no authority has signed is told nothing")
    func untrusted() async throws {
        let (error, server) = try await handshake(newest: nil)
        #expect(error?.code == .unreachable && error?.mayBeCarriedOut == false)
        #expect(server.bytes == 0)
        #expect(server.errors.contains { $0.contains("UNKNOWN_CA") }, "\(server.errors)")
    }

    @Test("P-50: a version of TLS before 1.2 is refused (RFC 8996)", arguments: [TLSVersion.tlsv1, .tlsv11])
    func downgraded(_ version: TLSVersion) async throws {
        let (error, server) = try await handshake(newest: version)
        #expect(error?.code == .unreachable && error?.mayBeCarriedOut == false)
        #expect(server.bytes == 0)
        // Before any certificate was looked at.
        #expect(server.errors.contains { $0.contains("UNSUPPORTED_PROTOCOL") }, "\(server.errors)")
    }

    @Test("P-50: what does not speak TLS is told nothing where the address says https")
    func plain() async throws {
        let server = try ScriptedServer(.raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"))
        defer { server.stop() }
        let limits = HTTPTransportLimits(idleTimeout: .milliseconds(500), timeout: .seconds(20))
        let error = try await failure(of: post("https://localhost:\(server.port)/api"), [:], limits)
        #expect([.unreachable, .timedOut].contains(error?.code), "\(String(describing: error))")
        #expect(error?.mayBeCarriedOut == false && server.arrivals.isEmpty)
    }

    /// A request to a server of TLS, and how it ended on both sides.
    private func handshake(
        newest: TLSVersion?
    ) async throws -> (error: HTTPTransportError?, server: TLSServer) {
        let server = try await TLSServer(newest: newest)
        let error = try await failure(of: post("https://localhost:\(server.port)/api"))
        while server.errors.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        try await server.stop()
        return (error, server)
    }
}
#endif
