internal import Synchronization

/// Lets one task at a time through a stretch of code that waits, in the order in which they came.
///
/// An actor lets other calls in wherever one of them waits; a call of several steps that no other call may come between
/// takes the turn first.
public final class SerialTurn: Sendable {
    private struct State {
        var isTaken = false
        var waiting: ArraySlice<CheckedContinuation<Void, Never>> = []
    }

    private let state = Mutex(State())

    /// A turn that no task has.
    public init() {}

    /// Waits for the turn, which ``end()`` gives back.
    ///
    /// A cancelled task waits, too: its caller cannot tell half an act from a whole one otherwise.
    public func begin() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isTaken {
                    state.waiting.append(continuation)
                    return false
                }
                state.isTaken = true
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    /// Gives the turn to the task that has waited longest. Only the task that has the turn may call it.
    public func end() {
        let next = state.withLock { state in
            let next = state.waiting.popFirst()
            state.isTaken = next != nil
            return next
        }
        next?.resume()
    }
}
