internal import Synchronization

/// Hands each value to all streams that were opened before, in the same order to each.
///
/// Calls from several threads have one order. A call that comes while another one hands its values out leaves its own to
/// that call, and returns. It is what stands behind `changes(in:)`, `events()` and `notices()` of a port. The streams end
/// when the broadcaster goes.
public final class Broadcaster<Value: Sendable>: Sendable {
    private struct State {
        var last: UInt64 = 0
        var streams: [UInt64: AsyncStream<Value>.Continuation] = [:]
        var waiting: ArraySlice<Delivery> = []
        var isDelivering = false
        var isFinished = false

        /// - Returns: whether the caller has to deliver, rather than a call that does so already.
        mutating func add(_ delivery: Delivery) -> Bool {
            waiting.append(delivery)
            defer { isDelivering = true }
            return !isDelivering
        }

        /// The delivery that comes next; after the last one the caller delivers no more.
        mutating func next() -> Delivery? {
            isDelivering = !waiting.isEmpty
            return waiting.popFirst()
        }
    }

    /// What the streams of one moment get.
    private enum Delivery: Sendable {
        case values([Value], [AsyncStream<Value>.Continuation])
        case end([AsyncStream<Value>.Continuation])
    }

    private let state = Mutex(State())

    /// A broadcaster without streams.
    public init() {}

    deinit { finish() }

    /// Whether there is a stream that takes values.
    public var isHeard: Bool { state.withLock { !$0.streams.isEmpty } }

    /// A stream of the values that follow, after these.
    ///
    /// - Parameters:
    ///   - first: what comes first.
    ///   - buffering: what becomes of values that are not taken as fast as they come.
    ///   - whenEnded: is called when the stream was cancelled or dropped, and is no longer counted; not by ``finish()``.
    /// - Returns: the stream; after ``finish()`` one that has ended.
    public func stream(
        after first: [Value] = [],
        buffering: AsyncStream<Value>.Continuation.BufferingPolicy = .unbounded,
        whenEnded: (@Sendable () -> Void)? = nil
    ) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream<Value>.makeStream(bufferingPolicy: buffering)
        let id = state.withLock { state -> UInt64? in
            guard !state.isFinished else { return nil }
            state.last += 1
            for value in first { continuation.yield(value) }
            state.streams[state.last] = continuation
            return state.last
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] reason in
            self?.state.withLock { $0.streams[id] = nil }
            if case .cancelled = reason { whenEnded?() }
        }
        return stream
    }

    /// Hands a value to every stream.
    public func send(_ value: Value) { send(contentsOf: CollectionOfOne(value)) }

    /// Hands values to every stream; no other value comes between them.
    public func send(contentsOf values: some Sequence<Value>) {
        guard isHeard else { return }
        let values = Array(values)
        let mustDeliver = state.withLock { state in
            !state.streams.isEmpty && state.add(.values(values, Array(state.streams.values)))
        }
        if mustDeliver { deliver() }
    }

    /// Ends all streams after the values that were sent before, and those that are asked for later.
    public func finish() {
        let mustDeliver = state.withLock { state in
            state.isFinished = true
            defer { state.streams = [:] }
            return state.add(.end(Array(state.streams.values)))
        }
        if mustDeliver { deliver() }
    }

    /// Hands out what waits, in its order.
    ///
    /// With no lock held: to resume a reader takes a lock of its task, which the task also holds while it is cancelled
    /// and its stream asks for the lock here.
    private func deliver() {
        while let delivery = state.withLock({ $0.next() }) {
            switch delivery {
            case .values(let values, let streams):
                for value in values { for stream in streams { stream.yield(value) } }
            case .end(let streams):
                for stream in streams { stream.finish() }
            }
        }
    }
}
