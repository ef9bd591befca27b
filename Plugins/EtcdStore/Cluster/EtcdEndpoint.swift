public import PortcullisCore

/// The address of an etcd node.
public struct EtcdEndpoint: Hashable, Sendable, CustomStringConvertible {
    /// A host's name or its numeric address, without brackets.
    public let host: String
    /// The port.
    public let port: Int
    /// Whether the connection is protected by TLS.
    public let isSecure: Bool

    /// Makes an address of these parts.
    public init(host: String, port: Int, isSecure: Bool) {
        (self.host, self.port, self.isSecure) = (host, port, isSecure)
    }

    /// Reads an address such as `http://127.0.0.1:2379` or `https://[::1]:2379`. The port is 2379 if the text
    /// has none.
    ///
    /// - Throws: `etcdBadEndpoint` if the text does not have this form.
    public init(_ text: String) throws(SecretStoreError) {
        guard let endpoint = Self.parsed(text) else {
            throw SecretStoreError(
                code: .etcdBadEndpoint,
                message: "an endpoint is http or https, :// and a host, and may have a port: \(text)"
            )
        }
        self = endpoint
    }

    private static func parsed(_ text: String) -> EtcdEndpoint? {
        let schemes = [("https://", true), ("http://", false)]
        guard let (scheme, isSecure) = schemes.first(where: { text.hasPrefix($0.0) }) else { return nil }
        var rest = text.dropFirst(scheme.count)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        var host = rest
        var port = 2379
        let isBracketed = rest.hasPrefix("[")
        if let end = rest.lastIndex(of: isBracketed ? "]" : ":") {
            let portText = isBracketed ? rest[rest.index(after: end)...] : rest[end...]
            if !portText.isEmpty {
                guard portText.hasPrefix(":"), let number = Int(portText.dropFirst()) else { return nil }
                port = number
            }
            host = isBracketed ? rest[rest.index(after: rest.startIndex)..<end] : rest[..<end]
        }
        let isClean = host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"): true
            case UInt8(ascii: ":"): isBracketed
            default: false
            }
        }
        guard !host.isEmpty, isClean, (1...65535).contains(port) else { return nil }
        return EtcdEndpoint(host: String(host), port: port, isSecure: isSecure)
    }

    /// The address as text, such as `https://[::1]:2379`.
    public var description: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return "\(isSecure ? "https" : "http")://\(host):\(port)"
    }

    /// Whether the host is four numbers with dots between them.
    var isIPv4: Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }
}
