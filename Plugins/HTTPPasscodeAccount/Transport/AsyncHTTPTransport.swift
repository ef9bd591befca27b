#if AsyncHTTPTransport
internal import AsyncHTTPClient
public import NIOCore
internal import NIOSSL

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A transport with async-http-client, for Linux and for programs that use NIO.
///
/// The caller shuts the transport down with ``shutdown()``, after the last request and before the event loops
/// end.
///
/// - The transport uses HTTP/1.1 only, over TLS 1.2 or newer (RFC 8996). It verifies certificates against
///   the system's root certificates.
/// - Requests over TLS use the proxy in the environment variable `https_proxy` or `all_proxy`. Requests by
///   plain HTTP to other machines, if they are allowed, use the proxy in `http_proxy` or `all_proxy`.
///   Requests to hosts that `no_proxy` names, and requests by plain HTTP to this machine, use no proxy.
///
/// Memory: a request's body is zeroed when the request has ended. The token is a field of the head. The head,
/// and the received bytes of an answer, are in memory that is not zeroed.
public struct AsyncHTTPTransport: HTTPTransport {
    private let limits: HTTPTransportLimits
    private let proxies: ProxyEnvironment
    private let direct: HTTPClient
    private let proxied: [HTTPProxy: HTTPClient]

    /// Makes a transport.
    ///
    /// - Parameters:
    ///   - group: the event loops of the transport, which the caller owns.
    ///   - limits: the limits of time and size.
    ///   - environment: the environment variables of this process, which may name proxies.
    public init(
        on group: any EventLoopGroup,
        limits: HTTPTransportLimits = HTTPTransportLimits(),
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        self.limits = limits
        proxies = ProxyEnvironment(environment)
        direct = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: Self.settings(limits))
        proxied = proxies.all.compactMap { HTTPProxy($0) }.reduce(into: [:]) { clients, proxy in
            var settings = Self.settings(limits)
            settings.proxy = proxy.setting
            clients[proxy] = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: settings)
        }
    }

    /// Shuts down the transport, and ends all requests that are in progress.
    ///
    /// - Throws: the error of the library, such as for a transport that is already shut down.
    public func shutdown() async throws {
        var failure: (any Error)?
        for client in [direct] + proxied.values {
            do { try await client.shutdown() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    private static func settings(_ limits: HTTPTransportLimits) -> HTTPClient.Configuration {
        let idle = TimeAmount(limits.idleTimeout)
        var settings = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: HTTPClient.Configuration.Timeout(connect: idle, read: idle, write: idle),
            decompression: .disabled
        )
        // RFC 8996 deprecates TLS versions before 1.2. The library accepts versions down to 1.0, so the
        // lowest version is set.
        var encryption = TLSConfiguration.makeClientConfiguration()
        encryption.minimumTLSVersion = .tlsv12
        settings.tlsConfiguration = encryption
        settings.httpVersion = .http1Only
        settings.maximumUsesPerConnection = 1
        settings.connectionPool.retryConnectionEstablishment = false
        let largest = limits.largestAnswer
        settings.http1_1ConnectionDebugInitializer = { AnswerGuard.add(to: $0, largestAnswer: largest) }
        return settings
    }

    /// Refuses a server if requests to it need a proxy that this transport cannot use. The transport never
    /// bypasses a proxy.
    ///
    /// - Throws: ``HTTPTransportErrorCode/unsafe``.
    public func check(_ server: URL) throws(HTTPTransportError) { _ = try client(for: server) }

    private func client(for server: URL) throws(HTTPTransportError) -> HTTPClient {
        let host = server.host()?.lowercased() ?? ""
        let scheme = server.scheme ?? ""
        if scheme == "http", server.isThisMachine { return direct }
        guard let text = proxies.proxy(for: scheme, host) else { return direct }
        guard let proxy = HTTPProxy(text), let client = proxied[proxy] else {
            throw HTTPTransportError(
                .unsafe,
                mayBeCarriedOut: false,
                message: "The environment's proxy is of a kind that is not supported."
            )
        }
        return client
    }

    /// Sends a request.
    ///
    /// - Returns: the whole answer.
    /// - Throws: ``HTTPTransportError``.
    public func send(
        _ request: HTTPTransportRequest
    ) async throws(HTTPTransportError) -> HTTPTransportAnswer {
        let client = try client(for: request.url)
        guard !Task.isCancelled else {
            throw HTTPTransportError(.cancelled, mayBeCarriedOut: false, message: "cancelled")
        }
        let exchange = AsyncHTTPExchange(request, largestAnswer: limits.largestAnswer)
        // The client's own deadline covers only the head of the answer, so a second task limits the whole
        // exchange.
        let limit = limits.timeout
        await withTaskGroup { group in
            group.addTask { await exchange.run(on: client) }
            group.addTask {
                do { try await Task.sleep(for: limit) } catch { return }
                exchange.end(as: .timedOut)
            }
            // The task that ends first makes the other task unnecessary.
            for await _ in group { group.cancelAll() }
        }
        return try exchange.finish()
    }
}
#endif
