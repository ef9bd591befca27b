internal import Synchronization

/// Bounds how many requests wait for a key derivation.
///
/// A derivation takes tens of milliseconds of a core and 19 MiB. What cannot be done soon is refused before anything
/// is counted or written, so that a refusal costs a person nothing but the wait.
final class DerivationPool: Sendable {
    private struct State {
        var inside = 0
        var refused = 0
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// A pool that takes so many requests, those at work included.
    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// How many requests are in, and how many were refused so far.
    var load: (inside: Int, refused: Int) { state.withLock { ($0.inside, $0.refused) } }

    /// Does some work that derives keys, or refuses.
    ///
    /// - Throws: ``Problem/busy`` when the pool is full, otherwise what the work throws.
    func enter<Result>(_ work: () async throws -> Result) async throws -> Result {
        let isIn = state.withLock { state in
            guard state.inside < capacity else {
                state.refused += 1
                return false
            }
            state.inside += 1
            return true
        }
        guard isIn else { throw Problem.busy }
        defer { state.withLock { $0.inside -= 1 } }
        return try await work()
    }
}
