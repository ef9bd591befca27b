#if AsyncHTTPTransport
internal import AsyncHTTPClient

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A proxy as the environment names it.
struct HTTPProxy: Hashable, Sendable {
    private let url: URL
    private let isSOCKS: Bool
    private let host: String

    /// - Returns: `nil` for a kind that async-http-client does not know: TLS to the proxy, and SOCKS 4.
    init?(_ text: String) {
        // Without a scheme it is plain HTTP, as libcurl has it.
        guard let url = URL(string: text.contains("://") ? text : "http://\(text)"), let host = url.host(),
            !host.isEmpty, url.hasSoundPort
        else { return nil }
        switch url.scheme?.lowercased() {
        case "http": isSOCKS = false
        case "socks5", "socks5h": isSOCKS = true
        default: return nil
        }
        self.url = url
        self.host = host.filter { $0 != "[" && $0 != "]" }
    }

    var setting: HTTPClient.Configuration.Proxy {
        let port = url.port ?? 1080
        if isSOCKS { return .socksServer(host: host, port: port) }
        let credentials = url.user(percentEncoded: false).map { user in
            HTTPClient.Authorization.basic(
                username: user,
                password: url.password(percentEncoded: false) ?? ""
            )
        }
        return .server(host: host, port: port, authorization: credentials)
    }
}
#endif
