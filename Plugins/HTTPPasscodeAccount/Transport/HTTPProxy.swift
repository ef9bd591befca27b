#if AsyncHTTPTransport
internal import AsyncHTTPClient

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A proxy that the environment names.
struct HTTPProxy: Hashable, Sendable {
    private let url: URL
    private let isSOCKS: Bool
    private let host: String

    /// Reads the address of a proxy. The result is `nil` for an invalid address, and for kinds that
    /// async-http-client does not support: TLS to the proxy, and SOCKS 4.
    init?(_ text: String) {
        // A text without a scheme means plain HTTP, as in libcurl.
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
