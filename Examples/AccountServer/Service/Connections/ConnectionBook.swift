internal import NIOCore
internal import Synchronization

/// Knows the open connections, in all and by network, and says which are one too many.
///
/// The bounds are of this process. They are no limits of requests: they keep one network from taking all descriptors.
final class ConnectionBook: Sendable {
    private struct State {
        var open: [ObjectIdentifier: any Channel] = [:]
        var isOver = false
        var refused = 0
        var byNetwork: NetworkCounts
    }

    private let limit: Int
    private let state: Mutex<State>

    /// A book of no connections.
    ///
    /// - Parameters:
    ///   - limit: how many may be open.
    ///   - limitOfNetwork: how many of them from one network; `nil`: any number, because all come from a proxy.
    init(limit: Int, ofNetwork limitOfNetwork: Int?) {
        self.limit = limit
        state = Mutex(State(byNetwork: NetworkCounts(limit: limitOfNetwork ?? .max)))
    }

    /// How many are open, and how many were refused so far.
    var load: (open: Int, refused: Int) { state.withLock { ($0.open.count, $0.refused) } }

    /// Takes a connection in.
    ///
    /// - Returns: `false`: it is one too many and not in the book.
    func enter(_ channel: any Channel, from network: ClientNetwork) -> Bool {
        state.withLock { state in
            guard !state.isOver, state.open.count < limit, state.byNetwork.enter(network) else {
                state.refused += 1
                return false
            }
            state.open[ObjectIdentifier(channel)] = channel
            return true
        }
    }

    /// Forgets a connection that was taken in and has ended.
    func leave(_ channel: any Channel, from network: ClientNetwork) {
        state.withLock { state in
            state.open[ObjectIdentifier(channel)] = nil
            state.byNetwork.leave(network)
        }
    }

    /// Ends all connections, whatever is under way on them, and takes in no other.
    func endAll() {
        let open = state.withLock { state in
            state.isOver = true
            return Array(state.open.values)
        }
        for channel in open { channel.close(promise: nil) }
    }
}
