internal import Synchronization

/// Counts things of each network. All networks have the same limit, and the wider networks around them have
/// higher limits.
struct NetworkCounts {
    private let limit: Int
    private var counts: [String: Int] = [:]

    /// - Parameter limit: how many one network may have.
    init(limit: Int) { self.limit = limit }

    /// Counts one more thing of a network.
    ///
    /// - Returns: `false` if a limit would be exceeded. Then nothing is counted.
    mutating func enter(_ network: ClientNetwork) -> Bool {
        guard network.shares.allSatisfy({ counts[$0.name] ?? 0 < $0.times(limit) }) else { return false }
        for share in network.shares { counts[share.name, default: 0] += 1 }
        return true
    }

    /// Removes one thing of a network from the count.
    mutating func leave(_ network: ClientNetwork) {
        for share in network.shares {
            let count = (counts[share.name] ?? 1) - 1
            counts[share.name] = count > 0 ? count : nil
        }
    }
}

/// The requests whose answers are not made yet, by network.
///
/// Behind a proxy, the requests of all networks come on the proxy's connections. Without a limit, slow
/// requests of one network could take all of these connections.
final class RequestsUnderWay: Sendable {
    private let counts: Mutex<NetworkCounts>

    /// - Parameter limit: how many one network may have under way.
    init(limit: Int) { counts = Mutex(NetworkCounts(limit: limit)) }

    /// Runs the work of a request.
    ///
    /// - Throws: ``Problem/flooded(_:_:)`` if the network has too many requests under way; otherwise the
    ///   error of the work.
    func run<Answer>(for network: ClientNetwork, _ work: () async throws -> Answer) async throws -> Answer {
        guard counts.withLock({ $0.enter(network) }) else {
            throw Problem.flooded("Too many requests of your network are under way.", .seconds(1))
        }
        defer { counts.withLock { $0.leave(network) } }
        return try await work()
    }
}
