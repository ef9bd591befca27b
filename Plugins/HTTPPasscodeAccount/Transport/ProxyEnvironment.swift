/// The proxies that the environment variables name, by the rules of libcurl.
///
/// `no_proxy` is a list of hosts and domains, or `*` for every host. A name in the list includes all its
/// subdomains. Ranges of addresses are not supported, so requests to a host in such a range use the proxy.
struct ProxyEnvironment: Sendable {
    private let variables: [String: String]

    init(_ variables: [String: String]) { self.variables = variables }

    /// Returns the proxy for requests to a host.
    ///
    /// - Parameters:
    ///   - scheme: `http` or `https`.
    ///   - host: the host's name in lower case.
    /// - Returns: the variable's text, such as `http://proxy.example:3128`; `nil` if no proxy is used.
    func proxy(for scheme: String, _ host: String) -> String? {
        // `HTTP_PROXY` is ignored, because a web server passes the header `Proxy` of a request to a CGI
        // program in this variable. So a client could choose the proxy.
        let names =
            (scheme == "https" ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]) + [
                "all_proxy", "ALL_PROXY",
            ]
        guard let proxy = names.compactMap({ variables[$0] }).first(where: { !$0.isEmpty }) else {
            return nil
        }
        return isException(host.filter { $0 != "[" && $0 != "]" }) ? nil : proxy
    }

    /// All proxies that a request may use.
    var all: Set<String> {
        let names = ["https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY"]
        return Set(names.compactMap { variables[$0] })
    }

    private func isException(_ host: String) -> Bool {
        let exceptions = variables["no_proxy"] ?? variables["NO_PROXY"] ?? ""
        if exceptions == "*" { return true }
        return exceptions.split(whereSeparator: { $0 == "," || $0 == " " }).contains { exception in
            let name = exception.lowercased()
            // A leading dot stands for the subdomains of the name, without the name itself, as in older
            // versions of libcurl.
            return host == name || host.hasSuffix(name.hasPrefix(".") ? name : ".\(name)")
        }
    }
}
