#if canImport(FoundationEssentials)
public import FoundationEssentials
internal import Foundation
#else
public import Foundation
#endif

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The system's HTTP client as a transport: the one for Apple platforms.
///
/// On Linux it is there for programs that talk to a server of their own on the same machine. It is not fit for others:
/// the system's library ends the process where an answer is cut inside its head, it goes on unpacking an encoded answer
/// after that was refused, and it knows no limit of a whole request, which is added here. Use `AsyncHTTPTransport` there,
/// which the package's trait of that name adds.
///
/// Memory: a request's body is zeroed after use. The system's client copies it, and keeps the token's text, in memory that
/// is not zeroed.
public struct URLSessionTransport: HTTPTransport {
    private let limits: HTTPTransportLimits
    private let proxies: ProxyEnvironment

    /// A transport; it holds nothing open between requests.
    ///
    /// - Parameters:
    ///   - limits: how much and how long it listens.
    ///   - environment: this process's variables; see ``check(_:)``.
    public init(
        limits: HTTPTransportLimits = HTTPTransportLimits(),
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        self.limits = limits
        proxies = ProxyEnvironment(environment)
    }

    /// Refuses plain HTTP that would go through a proxy where the system's client cannot be kept from that.
    ///
    /// On Linux it is libcurl, which takes a proxy from the environment (`http_proxy`, `all_proxy`, and the host not in
    /// `no_proxy`) for this machine's own addresses, too, and has no setting that forbids it. A passcode that is meant to
    /// stay on the machine would then cross the network in the clear.
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
