#if canImport(FoundationEssentials)
public import FoundationEssentials
internal import Foundation
#else
public import Foundation
#endif

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// A transport with the system's HTTP client, for Apple platforms.
///
/// On Linux, Foundation's HTTP client has three faults. It ends the process if an answer is cut inside its
/// head. It continues to decompress an encoded answer after the answer was refused. It has no time limit for
/// a whole request; this transport adds a limit. So on Linux this transport suits programs that talk to their
/// own server on the same machine. Other programs on Linux use `AsyncHTTPTransport`, which the package's
/// trait of that name adds.
///
/// Memory: a request's body is zeroed after use. The system's client keeps a copy of the body, and the
/// token's text, in memory that is not zeroed.
public struct URLSessionTransport: HTTPTransport {
    private let limits: HTTPTransportLimits
    private let proxies: ProxyEnvironment

    /// Makes a transport. The transport keeps no connection open between requests.
    ///
    /// - Parameters:
    ///   - limits: the limits of time and size.
    ///   - environment: the environment variables of this process; see ``check(_:)``.
    public init(
        limits: HTTPTransportLimits = HTTPTransportLimits(),
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        self.limits = limits
        proxies = ProxyEnvironment(environment)
    }

    /// Refuses plain HTTP that would use a proxy, if the system's client cannot avoid that proxy.
    ///
    /// On Linux the system's client is libcurl. It uses the proxy in `http_proxy` or `all_proxy` for each
    /// host that `no_proxy` does not name, even for this machine's own addresses. No setting prevents this
    /// use of the proxy. A passcode that is meant for this machine would then cross the network unencrypted.
    ///
    /// - Throws: ``HTTPTransportErrorCode/unsafe``.
    public func check(_ server: URL) throws(HTTPTransportError) {
        #if canImport(FoundationNetworking)
        guard server.scheme == "http", let host = server.host()?.lowercased(),
            proxies.proxy(for: "http", host) != nil
        else { return }
        throw HTTPTransportError(
            .unsafe,
            mayBeCarriedOut: false,
            message: "Plain HTTP would go through the environment's proxy. Name \(host) in no_proxy."
        )
        #endif
    }

    /// Sends a request.
    ///
    /// - Returns: the whole answer.
    /// - Throws: ``HTTPTransportError``.
    public func send(
        _ request: HTTPTransportRequest
    ) async throws(HTTPTransportError) -> HTTPTransportAnswer {
        try check(request.url)
        var prepared = URLRequest(url: request.url)
        prepared.httpMethod = request.method.rawValue
        for field in request.fields { prepared.setValue(field.value, forHTTPHeaderField: field.name) }
        if let token = request.token { prepared.setValue(token.field, forHTTPHeaderField: "Authorization") }
        if let body = request.body { prepared.httpBody = body.data }
        return try await URLSessionExchange.send(prepared, limits)
    }
}
