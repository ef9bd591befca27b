internal import Synchronization

/// Sends each value to all open streams, in the same order to each.
///
/// If several threads send values, all streams receive them in one common order. If a call arrives while
/// another call delivers, the new call only queues its values, and the delivering call delivers them, too.
/// Adapters use this type for the streams of their ports, such as `changes(in:)`, `events()` and `notices()`.
/// The streams end when the broadcaster is deallocated.
public final class Broadcaster<Value: Sendable>: Sendable {
    private struct State {
        var last: UInt64 = 0
        var streams: [UInt64: AsyncStream<Value>.Continuation] = [:]
        var waiting: ArraySlice<Delivery> = []
        var isDelivering = false
        var isFinished = false

        /// Queues a delivery. Returns whether the caller has to deliver. The result is `false` while another
        /// call delivers.
        mutating func add(_ delivery: Delivery) -> Bool {
            waiting.append(delivery)
            defer { isDelivering = true }
            return !isDelivering
        }

        /// Removes and returns the next delivery; `nil` when the caller has delivered everything.
        mutating func next() -> Delivery? {
            isDelivering = !waiting.isEmpty
            return waiting.popFirst()
        }
    }

    /// Values to deliver, or the end of the streams. Each case holds the streams that were open when the
    /// delivery was queued.
    private enum Delivery: Sendable {
        case values([Value], [AsyncStream<Value>.Continuation])
        case end([AsyncStream<Value>.Continuation])
    }

    private let state = Mutex(State())

    /// Makes a broadcaster without streams.
    public init() {}

    deinit { finish() }

    /// Whether at least one stream is open.
    public var isHeard: Bool { state.withLock { !$0.streams.isEmpty } }

    /// Opens a stream of the values that are sent from now on.
    ///
    /// - Parameters:
    ///   - first: values that the stream yields before all others.
    ///   - buffering: the rule for values that arrive faster than the reader reads them.
    ///   - whenEnded: is called after the reader has cancelled or dropped the stream and the stream was
    ///     removed. ``finish()`` does not call it.
    /// - Returns: the stream. After ``finish()`` the returned stream has already ended.
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

    /// Sends a value to every open stream.
    public func send(_ value: Value) { send(contentsOf: CollectionOfOne(value)) }

    /// Sends values to every open stream. No other value comes between them.
    public func send(contentsOf values: some Sequence<Value>) {
        guard isHeard else { return }
        let values = Array(values)
        let mustDeliver = state.withLock { state in
            !state.streams.isEmpty && state.add(.values(values, Array(state.streams.values)))
        }
        if mustDeliver { deliver() }
    }

    /// Ends all streams after the values that were sent before. Streams that are opened later end at once.
    public func finish() {
        let mustDeliver = state.withLock { state in
            state.isFinished = true
            defer { state.streams = [:] }
            return state.add(.end(Array(state.streams.values)))
        }
        if mustDeliver { deliver() }
    }

    /// Delivers the queued values in order.
    ///
    /// The lock of this object is not held while a reader is resumed. If the lock were held, two threads
    /// could deadlock. One thread would hold the lock of this object, and would wait for the lock of the
    /// reader's task. The other thread would cancel that task: it would hold the lock of the task, and would
    /// wait for the lock of this object.
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
