internal import Synchronization

/// Whether the session is unlocked, as far as its agent goes.
///
/// Once ``close()`` has returned, no byte of a value leaves any more that was asked for before.
final class AgentGate: Sendable {
    /// The right to one answer: of the time between one opening and the next closing.
    struct Pass: Equatable, Sendable {
        fileprivate let opening: UInt64
    }

    private let state = Mutex<(isOpen: Bool, openings: UInt64)>((false, 0))

    func open() {
        state.withLock { state in
            if !state.isOpen { state.openings += 1 }
            state.isOpen = true
        }
    }

    func close() { state.withLock { $0.isOpen = false } }

    /// A pass for a request that comes now; `nil` while the session is locked.
    func enter() -> Pass? { state.withLock { $0.isOpen ? Pass(opening: $0.openings) : nil } }

    /// Does something short that no closing may overtake; `nil` when the pass is of no use any more.
    func during<Result: Sendable>(_ pass: Pass, _ body: () -> Result) -> Result? {
        state.withLock { state in
            state.isOpen && state.openings == pass.opening ? body() : nil
        }
    }
}
