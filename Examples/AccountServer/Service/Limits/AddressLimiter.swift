internal import PortcullisCore
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// How many requests one address may send in a time.
package struct AddressLimit: Sendable, Hashable {
    /// The number of requests.
    package var requests: Int
    /// The time.
    package var window: Duration

    /// A limit.
    package init(requests: Int, window: Duration) {
        self.requests = requests
        self.window = window
    }
}

/// Counts requests by address, in windows that begin with an address's first request.
///
/// In this process only: what must hold for all processes is counted in the store, by account.
final class AddressLimiter: Sendable {
    private struct Window {
        var begin: Duration
        var count: Int
    }

    private let limit: AddressLimit
    private let capacity: Int
    private let windows = Mutex<[String: Window]>([:])

    init(_ limit: AddressLimit, capacity: Int = 100_000) {
        self.limit = limit
        self.capacity = capacity
    }

    /// Counts a request.
    ///
    /// - Parameter now: time since boot.
    /// - Returns: how long to wait instead.
    func count(_ address: String, at now: Duration) -> Duration? {
        windows.withLock { windows in
            var window = windows[address] ?? Window(begin: now, count: 0)
            if now - window.begin >= limit.window { window = Window(begin: now, count: 0) }
            guard window.count < limit.requests else { return window.begin + limit.window - now }
            window.count += 1
            if windows[address] == nil, windows.count >= capacity {
                windows = windows.filter { now - $0.value.begin < limit.window }
                // So many addresses at once are an attack; forgetting all of them favours nobody.
                if windows.count >= capacity { windows = [:] }
            }
            windows[address] = window
            return nil
        }
    }
}

/// Whom a request comes from.
enum ClientAddress {
    /// What requests are counted by: an IPv4 address, or the /64 of an IPv6 address, which is one customer's.
    static func key(_ address: String) -> String {
        var address = address
        // Some proxies write the port behind the address, which is another one for each connection.
        if address.hasPrefix("["), let end = address.firstIndex(of: "]") {
            address = String(address[address.index(after: address.startIndex)..<end])
        } else if address.count(where: { $0 == ":" }) == 1 {
            address = String(address.prefix { $0 != ":" })
        }
        // A zone says which of the server's own links it came by.
        address = String(address.prefix { $0 != "%" })
        var parsed = in6_addr()
        guard unsafe inet_pton(AF_INET6, address, &parsed) == 1 else { return address }
        let bytes = unsafe withUnsafeBytes(of: parsed) { unsafe Array($0) }
        // An IPv4 address in an IPv6 one (RFC 4291, 2.5.5.2).
        if bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] {
            return bytes.suffix(4).map(String.init).joined(separator: ".")
        }
        return stride(from: 0, to: 8, by: 2)
            .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }
            .joined(separator: ":") + "::"
    }

    /// The last address in `X-Forwarded-For`: the one that the proxy in front of this server saw itself.
    static func forwarded(_ field: String) -> String? {
        field.split(separator: ",").last.map { String($0.drop { $0 == " " }.prefix(64)) }
    }
}
