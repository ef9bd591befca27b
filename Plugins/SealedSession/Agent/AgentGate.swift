internal import Synchronization

/// Lets the agent send values only while the session is unlocked.
///
/// After ``close()`` has returned, no further byte of a value is sent for an earlier request.
final class AgentGate: Sendable {
    /// The right to send one answer. It is valid until the gate is closed.
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

    /// Returns a pass for a request that is carried out from now on; `nil` while the session is locked.
    func enter() -> Pass? { state.withLock { $0.isOpen ? Pass(opening: $0.openings) : nil } }

    /// Runs a short action, during which the gate cannot close. If the pass is no longer valid, the method
    /// does not run the action and returns `nil`.
    func during<Result: Sendable>(_ pass: Pass, _ body: () -> Result) -> Result? {
        state.withLock { state in
            state.isOpen && state.openings == pass.opening ? body() : nil
        }
    }
}
