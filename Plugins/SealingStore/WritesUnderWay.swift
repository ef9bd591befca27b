internal import Synchronization

/// Counts the writes of this client that are under way, by the value key that was the newest when they began.
///
/// A write seals its values before it waits for the underlying store. So it may end after the client has
/// taken up a newer value key, and leave a value under the older one.
final class WritesUnderWay: Sendable {
    private struct State {
        var counts: [UInt32: Int] = [:]
        var waiting: [(key: UInt32, continuation: CheckedContinuation<Void, Never>)] = []

        /// The oldest key that a write under way may use.
        var oldest: UInt32 { counts.keys.min() ?? .max }
    }

    private let state = Mutex(State())

    /// Counts a write. The caller reads the key's id before this call, and seals after it.
    func begin(under key: UInt32) { state.withLock { $0.counts[key, default: 0] += 1 } }

    func end(under key: UInt32) {
        let ready = state.withLock { state in
            let count = state.counts[key, default: 0]
            state.counts[key] = count > 1 ? count - 1 : nil
            let oldest = state.oldest
            let ready = state.waiting.filter { $0.key <= oldest }
            state.waiting.removeAll { $0.key <= oldest }
            return ready
        }
        for wait in ready { wait.continuation.resume() }
    }

    /// Waits until no write is under way that began under a key before this one. A cancelled task waits, too.
    func wait(forThoseBefore key: UInt32) async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.oldest >= key { return true }
                state.waiting.append((key, continuation))
                return false
            }
            if isReady { continuation.resume() }
        }
    }
}
