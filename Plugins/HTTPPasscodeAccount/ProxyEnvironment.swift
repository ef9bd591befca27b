/// What the environment says of proxies, as far as it endangers plain HTTP.
///
/// Where the system's client is libcurl it takes a proxy from the environment, for this machine's own addresses too, and
/// has no setting that forbids it (`connectionProxyDictionary` changes nothing). A passcode that is meant to stay on the
/// machine would then cross the network in the clear.
enum ProxyEnvironment {
    /// Whether requests to a host would go to a proxy; stricter than libcurl where that tries harder to find the host
    /// among the exceptions.
    ///
    /// - Parameters:
    ///   - host: in small letters.
    ///   - environment: variables by name, as a process has them.
    static func leadsAway(_ host: String, in environment: [String: String]) -> Bool {
        // `HTTP_PROXY` is not looked at: a web server's client could set it for a program that the server runs.
        let isProxied = ["http_proxy", "all_proxy", "ALL_PROXY"].contains {
            environment[$0]?.isEmpty == false
        }
        guard isProxied else { return false }
        let exceptions = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
        let host = host.filter { $0 != "[" && $0 != "]" }
        return exceptions != "*"
            && !exceptions.split(whereSeparator: { $0 == "," || $0 == " " }).contains {
                $0.lowercased() == host
            }
    }
}
