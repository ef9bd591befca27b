internal import Synchronization

/// How many of something each network has, with one bound for all of them, and wider ones for those around them.
struct NetworkCounts {
    private let limit: Int
    private var counts: [String: Int] = [:]

    /// - Parameter limit: how many one network may have.
    init(limit: Int) { self.limit = limit }

    /// Counts one more.
    ///
    /// - Returns: `false`: it is one too many, and not counted.
    mutating func enter(_ network: ClientNetwork) -> Bool {
        guard network.shares.allSatisfy({ counts[$0.name] ?? 0 < $0.times(limit) }) else { return false }
        for share in network.shares { counts[share.name, default: 0] += 1 }
        return true
    }

    /// Counts one less of a network that has one.
    mutating func leave(_ network: ClientNetwork) {
        for share in network.shares {
            let count = (counts[share.name] ?? 1) - 1
            counts[share.name] = count > 0 ? count : nil
        }
    }
}

/// The requests whose answers are not known yet, by network.
///
/// Behind a proxy a network's requests come on the proxy's connections: slow ones of one network could take all of them.
final class RequestsUnderWay: Sendable {
    private let counts: Mutex<NetworkCounts>

    /// - Parameter limit: how many one network may have under way.
    init(limit: Int) { counts = Mutex(NetworkCounts(limit: limit)) }

    /// Runs the work of a request.
    ///
    /// - Throws: ``Problem/flooded(_:_:)`` where the network has too many under way; what the work throws.
    func run<Answer>(for network: ClientNetwork, _ work: () async throws -> Answer) async throws -> Answer {
        guard counts.withLock({ $0.enter(network) }) else {
            throw Problem.flooded("Too many requests of your network are under way.", .seconds(1))
        }
        defer { counts.withLock { $0.leave(network) } }
        return try await work()
    }
}
