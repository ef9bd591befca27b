internal import NIOCore
internal import Synchronization

/// Keeps the open connections, in total and by network, and refuses those above a limit.
///
/// The limits are of this process. They do not limit requests. They keep one network from taking all
/// descriptors.
final class ConnectionBook: Sendable {
    private struct State {
        var open: [ObjectIdentifier: any Channel] = [:]
        var isOver = false
        var refused = 0
        var byNetwork: NetworkCounts
    }

    private let limit: Int
    private let state: Mutex<State>

    /// Makes a book without connections.
    ///
    /// - Parameters:
    ///   - limit: how many connections may be open.
    ///   - limitOfNetwork: how many of them may come from one network; `nil` if all come from a proxy.
    init(limit: Int, ofNetwork limitOfNetwork: Int?) {
        self.limit = limit
        state = Mutex(State(byNetwork: NetworkCounts(limit: limitOfNetwork ?? .max)))
    }

    /// How many connections are open, and how many were refused so far.
    var load: (open: Int, refused: Int) { state.withLock { ($0.open.count, $0.refused) } }

    /// Adds a connection, if it exceeds no limit.
    ///
    /// - Returns: `false` if the connection exceeds a limit. It is then not in the book.
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

    /// Removes a connection that was added and has ended.
    func leave(_ channel: any Channel, from network: ClientNetwork) {
        state.withLock { state in
            state.open[ObjectIdentifier(channel)] = nil
            state.byNetwork.leave(network)
        }
    }

    /// Ends all connections, even those with requests under way, and refuses all later connections.
    func endAll() {
        let open = state.withLock { state in
            state.isOver = true
            return Array(state.open.values)
        }
        for channel in open { channel.close(promise: nil) }
    }
}
