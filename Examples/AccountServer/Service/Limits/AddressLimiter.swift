internal import PortcullisCore
internal import Synchronization

/// How many requests one address may send in a period.
package struct AddressLimit: Sendable, Hashable {
    /// The number of requests.
    package var requests: Int
    /// The time in which the requests are counted.
    package var window: Duration

    /// A limit.
    package init(requests: Int, window: Duration) {
        self.requests = requests
        self.window = window
    }

    /// The limit for one of several servers among which a balancer spreads an address's requests, rounded up.
    func shared(among servers: Int) -> AddressLimit {
        let (part, rest) = requests.quotientAndRemainder(dividingBy: servers)
        return AddressLimit(requests: part + (rest > 0 ? 1 : 0), window: window)
    }
}

/// Counts requests by network, in windows that begin with a network's first request.
///
/// The counts are of this process only. Limits that hold for all processes are counted in the store, by
/// account.
final class AddressLimiter: Sendable {
    private struct Window {
        var begin: Duration
        var count: Int
    }

    private let whole: AddressLimit
    private let fleet: FleetSize
    private let capacity: Int
    private let windows = Mutex<[String: Window]>([:])

    /// - Parameters:
    ///   - limit: the limit of an address, for all servers together.
    ///   - fleet: the servers that share the requests.
    ///   - capacity: the number of networks that are counted at once.
    init(_ limit: AddressLimit, sharedBy fleet: FleetSize, capacity: Int = 100_000) {
        whole = limit
        self.fleet = fleet
        self.capacity = capacity
    }

    /// Counts a request for each network that it comes from.
    ///
    /// - Parameter now: time since boot.
    /// - Returns: the wait if a limit is exceeded. The request then counts for no network.
    func count(_ network: ClientNetwork, at now: Duration) -> Duration? {
        let limit = whole.shared(among: fleet.count)
        return windows.withLock { windows in
            var counted: [String: Window] = [:]
            var wait: Duration?
            for share in network.shares {
                var window = windows[share.name] ?? Window(begin: now, count: 0)
                if now - window.begin >= limit.window { window = Window(begin: now, count: 0) }
                if window.count >= share.times(limit.requests) {
                    wait = max(wait ?? .zero, window.begin + limit.window - now)
                }
                window.count += 1
                counted[share.name] = window
            }
            if let wait { return wait }
            if windows[network.name] == nil, windows.count >= capacity {
                windows = windows.filter { now - $0.value.begin < limit.window }
                // So many networks at once are an attack. All counts are forgotten, which favours no network.
                if windows.count >= capacity { windows = [:] }
            }
            windows.merge(counted) { $1 }
            return nil
        }
    }
}
