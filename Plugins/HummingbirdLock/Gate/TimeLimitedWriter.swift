#if HummingbirdLock
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import PortcullisCore
internal import Synchronization

/// Writes a response, and limits the time for which a write waits for the reader.
///
/// If a reader takes nothing, the buffers of its connection become full, and the next write waits. When the
/// limit is reached, the write is cancelled. It then throws an error, and the server aborts the connection.
struct TimeLimitedWriter: ResponseBodyWriter {
    var writer: any ResponseBodyWriter
    let clock: any LockClock

    /// The longest time for which a write waits for the reader.
    private static let limit = Duration.seconds(5)

    @concurrent
    mutating func write(_ buffer: ByteBuffer) async throws {
        try await limited { try await $0.write(buffer) }
    }

    @concurrent
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        var last = self
        try await last.limited { try await $0.finish(trailingHeaders) }
    }

    private mutating func limited(
        _ write: @escaping @Sendable @concurrent (inout any ResponseBodyWriter) async throws -> Void
    ) async throws {
        let (hand, clock) = (WriterInHand(writer: writer), clock)
        let isWaiting = Mutex(true)
        // Most writes do not wait. They end before `Task.immediate` returns, and get no timer.
        let writing = Task.immediate { () async throws -> WriterInHand in
            defer { isWaiting.withLock { $0 = false } }
            var writer = hand.writer
            try await write(&writer)
            return WriterInHand(writer: writer)
        }
        var timer: Task<Void, Never>?
        if isWaiting.withLock({ $0 }) {
            timer = Task {
                let due = clock.now.sinceBoot + Self.limit
                do { try await clock.sleep(until: .sinceBoot(due)) } catch { return }
                writing.cancel()
            }
        }
        defer { timer?.cancel() }
        let written = try await withTaskCancellationHandler {
            try await writing.value
        } onCancel: {
            writing.cancel()
        }
        writer = written.writer
    }
}
#endif
