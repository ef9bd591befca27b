internal import PortcullisCore
internal import Synchronization

/// Hands events out to all listeners, in the order in which they are sent.
final class EventHub<Event: Sendable>: Sendable {
    private struct State {
        var lastID: UInt64 = 0
        var listeners: [UInt64: AsyncStream<Event>.Continuation] = [:]
        var isFinished = false
    }

    private let state = Mutex(State())

    /// The events from now on.
    func stream() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
        let id = state.withLock { state -> UInt64? in
            if state.isFinished { return nil }
            state.lastID += 1
            state.listeners[state.lastID] = continuation
            return state.lastID
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.listeners[id] = nil }
        }
        return stream
    }

    func send(_ events: some Sequence<Event>) {
        state.withLock { state in
            guard !state.listeners.isEmpty else { return }
            for event in events { for listener in state.listeners.values { listener.yield(event) } }
        }
    }

    /// Ends all streams, and those that are asked for later.
    func finish() {
        let listeners = state.withLock { state in
            state.isFinished = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }
}
