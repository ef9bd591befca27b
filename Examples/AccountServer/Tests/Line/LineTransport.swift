import HTTPPasscodeAccount
import NIOCore
import NIOPosix
import Testing

/// The transports that an account can use.
enum LineTransport: String, CaseIterable, CustomTestStringConvertible {
    case urlSession = "URLSession"
    case asyncHTTP = "async-http-client"

    var testDescription: String { rawValue }

    /// Limits that no answer reaches, however busy the machine is.
    static let patient = HTTPTransportLimits(idleTimeout: .seconds(120), timeout: .seconds(240))

    /// Runs a body with a transport that ends afterwards.
    func run(
        _ limits: HTTPTransportLimits = patient,
        _ body: (any HTTPTransport) async throws -> Void
    ) async throws {
        switch self {
        case .urlSession: try await body(URLSessionTransport(limits: limits, environment: [:]))
        case .asyncHTTP:
            let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let transport = AsyncHTTPTransport(on: loops, limits: limits, environment: [:])
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await body(transport)) } catch { outcome = .failure(error) }
            try await transport.shutdown()
            try await loops.shutdownGracefully()
            try outcome.get()
        }
    }

    /// The reason why this transport is not tested with a bad answer; `nil` if it is.
    ///
    /// These are the reasons why `URLSession` should not be used on Linux.
    func knownFault(with answer: BadAnswer) -> String? {
        #if canImport(FoundationNetworking)
        guard self == .urlSession else { return nil }
        if answer.isCutInHead {
            return "the system's library ends the process where a head is cut inside a field"
        }
        return switch answer.name {
        case "a million fields":
            "the system's library joins each field to those before it, which takes minutes on this many"
        case "chunks without end":
            "the system's library goes on reading for a while after the task was cancelled"
        case "a status without a reason":
            "the system's library does not understand a status line without a reason (RFC 9112, section 4)"
        default: nil
        }
        #else
        return nil
        #endif
    }
}
