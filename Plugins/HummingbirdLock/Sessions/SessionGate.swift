#if HummingbirdLock
internal import AdapterKit
internal import Synchronization

/// What requests ask of a session without waiting for it: whether content may be sent.
///
/// The session sets it within the event that locks, before anything waits.
final class SessionGate: Sendable {
    private struct State {
        var isOpen = false
        var isOver = false
        var heard = Duration.zero
    }

    private let state = Mutex(State())
    /// Told of each change that a page can see.
    let changes = Broadcaster<Void>()

    /// Whether content may be sent: the session is signed in and not locked.
    var isOpen: Bool { state.withLock { $0.isOpen && !$0.isOver } }
    /// Whether the session has ended.
    var isOver: Bool { state.withLock { $0.isOver } }
    /// When a page gave the last sign of life, since boot.
    var heard: Duration { state.withLock { $0.heard } }

    func set(isOpen: Bool) { state.withLock { $0.isOpen = isOpen } }
    func hear(at moment: Duration) { state.withLock { $0.heard = max($0.heard, moment) } }

    /// Ends the session for good.
    ///
    /// - Returns: whether it had not ended before.
    func end() -> Bool {
        state.withLock { state in
            defer { state.isOver = true }
            return !state.isOver
        }
    }

    /// Returns when no content may be sent any more, or the task is cancelled.
    func closed() async {
        let signals = changes.stream(buffering: .bufferingNewest(1))
        guard isOpen else { return }
        for await _ in signals where !isOpen { return }
    }
}
#endif
