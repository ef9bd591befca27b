/// What the environment says of proxies, as libcurl reads it.
///
/// `no_proxy` names hosts, domains (with all below them) and `*`; ranges of addresses are not understood, so a host in
/// one goes through the proxy.
struct ProxyEnvironment: Sendable {
    private let variables: [String: String]

    init(_ variables: [String: String]) { self.variables = variables }

    /// The proxy that requests to a host go through.
    ///
    /// - Parameters:
    ///   - scheme: `http` or `https`.
    ///   - host: in small letters.
    /// - Returns: the variable's text, such as `http://proxy.example:3128`; `nil` for none.
    func proxy(for scheme: String, _ host: String) -> String? {
        // `HTTP_PROXY` is not looked at: a web server's client could set it for a program that the server runs.
        let names =
            (scheme == "https" ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]) + [
                "all_proxy", "ALL_PROXY",
            ]
        guard let proxy = names.compactMap({ variables[$0] }).first(where: { !$0.isEmpty }) else {
            return nil
        }
        return isException(host.filter { $0 != "[" && $0 != "]" }) ? nil : proxy
    }

    /// All that any request may go through.
    var all: Set<String> {
        let names = ["https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY"]
        return Set(names.compactMap { variables[$0] })
    }

    private func isException(_ host: String) -> Bool {
        let exceptions = variables["no_proxy"] ?? variables["NO_PROXY"] ?? ""
        if exceptions == "*" { return true }
        return exceptions.split(whereSeparator: { $0 == "," || $0 == " " }).contains { exception in
            let name = exception.lowercased()
            // A dot in front leaves out the domain itself, as older versions of libcurl have it.
            return host == name || host.hasSuffix(name.hasPrefix(".") ? name : ".\(name)")
        }
    }
}
