#if HummingbirdLock
internal import AdapterKit
internal import Synchronization

/// Stores whether a session's content may be sent. Requests read the gate without waiting.
///
/// When an event locks the session, the session closes the gate before it waits for anything.
final class SessionGate: Sendable {
    private struct State {
        var isOpen = false
        var isOver = false
        var heard = Duration.zero
        var whole = (since: Duration.zero, byteCount: 0)
    }

    /// The time in which a server has passed a whole response on to the system, if its connection is not full.
    private static let passingTime = Duration.milliseconds(50)
    /// The largest number of bytes in whole responses within that time.
    private static let maximumOfWhole = CollectedBody.limit

    private let state = Mutex(State())
    /// Signals each change that a page can see.
    let changes = Broadcaster<Void>()

    /// Whether content may be sent: the session is signed in and not locked.
    var isOpen: Bool { state.withLock { $0.isOpen && !$0.isOver } }
    /// Whether the session has ended.
    var isOver: Bool { state.withLock { $0.isOver } }
    /// The time since boot at which a page last reported.
    var heard: Duration { state.withLock { $0.heard } }

    func set(isOpen: Bool) { state.withLock { $0.isOpen = isOpen } }
    func hear(at moment: Duration) { state.withLock { $0.heard = max($0.heard, moment) } }

    /// Whether a response may be given to the server as a whole, and counts it if it may.
    ///
    /// A reader may send many requests and read no response. Then the server holds the responses, and goes on
    /// sending them after the gate has closed. So the number of bytes in a short time is limited.
    func allowsWholeResponse(of byteCount: Int, at now: Duration) -> Bool {
        state.withLock { state in
            if now - state.whole.since >= Self.passingTime { state.whole = (now, 0) }
            guard state.whole.byteCount + byteCount <= Self.maximumOfWhole else { return false }
            state.whole.byteCount += byteCount
            return true
        }
    }

    /// Ends the session for good.
    ///
    /// - Returns: whether the session had not ended before.
    func end() -> Bool {
        state.withLock { state in
            defer { state.isOver = true }
            return !state.isOver
        }
    }

    /// Waits until content may no longer be sent, or until the task is cancelled.
    func closed() async {
        let signals = changes.stream(buffering: .bufferingNewest(1))
        guard isOpen else { return }
        for await _ in signals where !isOpen { return }
    }
}
#endif
