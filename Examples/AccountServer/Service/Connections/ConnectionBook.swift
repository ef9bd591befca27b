internal import Synchronization

/// Counts open connections, in all and by network, and says which are one too many.
///
/// The bounds are of this process. They are no limits of requests: they keep one network from taking all descriptors.
final class ConnectionBook: Sendable {
    private struct State {
        var open = 0
        var refused = 0
        var byNetwork: [String: Int] = [:]
    }

    private let limit: Int
    private let limitOfNetwork: Int?
    private let state = Mutex(State())

    /// A book of no connections.
    ///
    /// - Parameters:
    ///   - limit: how many may be open.
    ///   - limitOfNetwork: how many of them from one network; `nil`: any number, because all come from a proxy.
    init(limit: Int, ofNetwork limitOfNetwork: Int?) {
        self.limit = limit
        self.limitOfNetwork = limitOfNetwork
    }

    /// How many are open, and how many were refused so far.
    var load: (open: Int, refused: Int) { state.withLock { ($0.open, $0.refused) } }

    /// Counts a connection.
    ///
    /// - Returns: `false`: it is one too many and not counted.
    func enter(_ network: String) -> Bool {
        state.withLock { state in
            let open = state.byNetwork[network] ?? 0
            guard state.open < limit, open < limitOfNetwork ?? .max else {
                state.refused += 1
                return false
            }
            state.open += 1
            state.byNetwork[network] = open + 1
            return true
        }
    }

    /// Forgets a connection that was counted.
    func leave(_ network: String) {
        state.withLock { state in
            state.open -= 1
            let open = (state.byNetwork[network] ?? 1) - 1
            state.byNetwork[network] = open > 0 ? open : nil
        }
    }
}
