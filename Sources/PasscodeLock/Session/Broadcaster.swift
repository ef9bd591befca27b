internal import Synchronization

/// Hands each value to all streams that were opened before, in the same order.
final class Broadcaster<Value: Sendable>: Sendable {
    private struct State {
        var last: UInt64 = 0
        var streams: [UInt64: AsyncStream<Value>.Continuation] = [:]
    }

    private let state = Mutex(State())

    deinit {
        for stream in state.withLock({ $0.streams.values.map(\.self) }) { stream.finish() }
    }

    /// A stream of the values that follow, after these.
    ///
    /// - Parameters:
    ///   - first: what comes first.
    ///   - buffering: what becomes of values that are not taken as fast as they come.
    func stream(
        after first: [Value] = [],
        buffering: AsyncStream<Value>.Continuation.BufferingPolicy = .unbounded
    ) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream<Value>.makeStream(bufferingPolicy: buffering)
        let id = state.withLock { state in
            state.last += 1
            for value in first { continuation.yield(value) }
            state.streams[state.last] = continuation
            return state.last
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.streams[id] = nil }
        }
        return stream
    }

    /// Hands a value to every stream.
    func send(_ value: Value) {
        for stream in state.withLock({ $0.streams.values.map(\.self) }) { stream.yield(value) }
    }
}
