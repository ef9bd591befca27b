import HTTPPasscodeAccount
import Testing

#if AsyncHTTPTransport
import NIOCore
import NIOPosix
#endif

/// The transports that this build has.
enum AccountTransport: String, CaseIterable, CustomTestStringConvertible {
    case urlSession = "URLSession"
    #if AsyncHTTPTransport
    case asyncHTTP = "async-http-client"
    #endif

    var testDescription: String { rawValue }

    /// Runs a body with a transport that ends afterwards.
    func run(
        _ limits: HTTPTransportLimits = HTTPTransportLimits(),
        environment: [String: String] = [:],
        _ body: (any HTTPTransport) async throws -> Void
    ) async throws {
        switch self {
        case .urlSession: try await body(URLSessionTransport(limits: limits, environment: environment))
        #if AsyncHTTPTransport
        case .asyncHTTP:
            let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let transport = AsyncHTTPTransport(on: loops, limits: limits, environment: environment)
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await body(transport)) } catch { outcome = .failure(error) }
            try await transport.shutdown()
            try await loops.shutdownGracefully()
            try outcome.get()
        #endif
        }
    }
}
