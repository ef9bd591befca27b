#if HummingbirdLock
internal import AdapterKit
internal import NIOCore
internal import Synchronization

/// Stores whether a session's content may be sent. Requests read the gate without waiting.
///
/// When an event locks the session, the session closes the gate before it waits for anything.
final class SessionGate: Sendable {
    private struct State {
        var isOpen = false
        var isOver = false
        var heard = Duration.zero
        var connections = ContentConnections()
    }

    private let state = Mutex(State())
    /// Signals each change that a page can see.
    let changes = Broadcaster<Void>()

    /// Whether content may be sent: the session is signed in and not locked.
    var isOpen: Bool { state.withLock { $0.isOpen && !$0.isOver } }
    /// Whether the session has ended.
    var isOver: Bool { state.withLock { $0.isOver } }
    /// The time since boot at which a page last reported.
    var heard: Duration { state.withLock { $0.heard } }

    func set(isOpen: Bool) {
        state.withLock { state in
            state.isOpen = isOpen
            if !isOpen { state.connections.drop() }
        }
    }
    func hear(at moment: Duration) { state.withLock { $0.heard = max($0.heard, moment) } }

    /// Ends the session for good.
    ///
    /// - Returns: whether the session had not ended before.
    func end() -> Bool {
        state.withLock { state in
            defer {
                state.isOver = true
                state.connections.drop()
            }
            return !state.isOver
        }
    }

    /// Allows a response to be written to a connection in one write. If the gate closes while bytes of the response are
    /// in the server's buffer, the connection is closed.
    ///
    /// - Returns: whether the gate is open.
    func admit(_ channel: any Channel) -> Bool {
        let isNew: Bool? = state.withLock { state in
            state.isOpen && !state.isOver ? state.connections.add(channel) : nil
        }
        if isNew == true {
            channel.closeFuture.whenComplete { [weak self] _ in self?.forget(channel) }
        }
        return isNew != nil
    }

    /// Forgets a connection that holds no bytes of the session's responses.
    func forget(_ channel: any Channel) { state.withLock { $0.connections.remove(channel) } }

    /// Waits until content may no longer be sent, or until the task is cancelled.
    func closed() async {
        let signals = changes.stream(buffering: .bufferingNewest(1))
        guard isOpen else { return }
        for await _ in signals where !isOpen { return }
    }
}
#endif
