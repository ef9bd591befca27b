#if AsyncHTTPTransport
internal import AsyncHTTPClient
public import NIOCore
internal import NIOSSL

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// async-http-client as a transport: the one for Linux, and for programs that run on NIO anyway.
///
/// Its maker ends it with ``shutdown()``, after the last request and before the event loops end.
///
/// - HTTP/1.1 only, over TLS 1.2 or newer (RFC 8996); certificates are verified against the system's.
/// - Requests over TLS go through the proxy that the environment names (`https_proxy`, `all_proxy`, and the host not in
///   `no_proxy`), and so do those of plain HTTP to other machines (`http_proxy`), where they are allowed at all. What is
///   for this machine goes there directly.
///
/// Memory: a request's body is zeroed as soon as NIO has let go of it, which is when it was written. The token is a field
/// of the head, which is text in memory that is not zeroed, and so is what was read of an answer.
public struct AsyncHTTPTransport: HTTPTransport {
    private let limits: HTTPTransportLimits
    private let proxies: ProxyEnvironment
    private let direct: HTTPClient
    private let proxied: [HTTPProxy: HTTPClient]

    /// A transport.
    ///
    /// - Parameters:
    ///   - group: the event loops to run on, which stay the caller's.
    ///   - limits: how much and how long it listens.
    ///   - environment: this process's variables; those of proxies are read.
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

    /// Ends it, and what is still under way.
    ///
    /// - Throws: what the library throws, such as for a transport that was ended before.
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
        // RFC 8996: what is older is broken. The library itself would go down to 1.0.
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

    /// Refuses a proxy that it cannot use, rather than going past it.
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
        // The client's own deadline holds for the head only.
        let limit = limits.timeout
        await withTaskGroup { group in
            group.addTask { await exchange.run(on: client) }
            group.addTask {
                do { try await Task.sleep(for: limit) } catch { return }
                exchange.end(as: .timedOut)
            }
            // Whichever ends first, the other one is of no use any more.
            for await _ in group { group.cancelAll() }
        }
        return try exchange.finish()
    }
}
#endif
