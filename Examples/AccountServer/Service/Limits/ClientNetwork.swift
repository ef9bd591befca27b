#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The network that a request comes from, for limits.
///
/// The network is an IPv4 address, or the /64 of an IPv6 address. Many customers have a /56 or a /48, with
/// 256 or 65,536 such networks. So these are counted too. Their limits are higher, because they may contain
/// more than one customer.
struct ClientNetwork: Sendable, Hashable {
    /// A network that a request counts for.
    struct Share: Sendable, Hashable {
        var name: String
        /// The factor between the limit of an address and the limit of this network.
        var factor: Int

        /// Returns this network's limit for a given limit of an address.
        func times(_ limit: Int) -> Int {
            let (product, isTooMuch) = limit.multipliedReportingOverflow(by: factor)
            return isTooMuch ? .max : product
        }
    }

    /// The address, or its /64.
    let name: String
    /// The networks that a request counts for, this network first.
    let shares: [Share]

    /// The network of an address, as a socket or a proxy writes it.
    init(of address: String) {
        var address = address
        // Some proxies write the port after the address. The port differs for each connection, so it is
        // removed.
        if address.hasPrefix("["), let end = address.firstIndex(of: "]") {
            address = String(address[address.index(after: address.startIndex)..<end])
        } else if address.count(where: { $0 == ":" }) == 1 {
            address = String(address.prefix { $0 != ":" })
        }
        // A zone names one of the server's own links, so it is removed.
        address = String(address.prefix { $0 != "%" })
        var parsed = in6_addr()
        guard unsafe inet_pton(AF_INET6, address, &parsed) == 1 else {
            (name, shares) = (address, [Share(name: address, factor: 1)])
            return
        }
        let bytes = unsafe withUnsafeBytes(of: parsed) { unsafe Array($0) }
        // An IPv4 address in an IPv6 one (RFC 4291, 2.5.5.2).
        if bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] {
            name = bytes.suffix(4).map(String.init).joined(separator: ".")
            shares = [Share(name: name, factor: 1)]
            return
        }
        name = Self.text(bytes.prefix(8)) + "::"
        shares = [
            Share(name: name, factor: 1),
            Share(name: Self.text(bytes.prefix(7) + [0]) + "::/56", factor: 4),
            Share(name: Self.text(bytes.prefix(6)) + "::/48", factor: 16),
        ]
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        let bytes = Array(bytes)
        return stride(from: 0, to: bytes.count, by: 2)
            .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }
            .joined(separator: ":")
    }

    /// The last address in `X-Forwarded-For`: the one that the proxy in front of this server saw itself.
    static func forwarded(_ field: String) -> String? {
        field.split(separator: ",").last.map { String($0.drop { $0 == " " }.prefix(64)) }
    }
}
