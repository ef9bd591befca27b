internal import Synchronization

/// A lock for tasks. It lets one task at a time run a section of code that contains `await`, in the order in
/// which the tasks arrived.
///
/// An actor runs other calls while one of its calls awaits. A call whose steps must not mix with those of
/// other calls takes the turn first.
public final class SerialTurn: Sendable {
    private struct State {
        var isTaken = false
        var waiting: ArraySlice<CheckedContinuation<Void, Never>> = []
    }

    private let state = Mutex(State())

    /// Makes a turn that no task holds.
    public init() {}

    /// Waits for the turn. The task gives it back with ``end()``.
    ///
    /// A cancelled task waits, too. If its wait ended early, the task could not know whether it holds the
    /// turn.
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

    /// Gives the turn to the task that has waited longest. Only the task that holds the turn may call this
    /// method.
    public func end() {
        let next = state.withLock { state in
            let next = state.waiting.popFirst()
            state.isTaken = next != nil
            return next
        }
        next?.resume()
    }
}
