#if HummingbirdLock
internal import Hummingbird
internal import PortcullisCore
internal import Synchronization

/// Limits the time for which the write of a response waits for the reader.
///
/// If a reader takes nothing, the buffers of its connection become full, and the next write waits. When the
/// limit is reached, the write is cancelled. It then throws an error, and the server aborts the connection.
enum TimeLimitedWrite {
    /// The longest time for which a write waits for the reader.
    private static let limit = Duration.seconds(5)

    /// Runs a write.
    ///
    /// - Parameters:
    ///   - writer: the writer of the response.
    ///   - clock: the clock that measures the limit.
    ///   - write: calls the writer once.
    @concurrent
    static func run(
        on writer: inout any ResponseBodyWriter,
        clock: any LockClock,
        _ write: @escaping @Sendable @concurrent (inout any ResponseBodyWriter) async throws -> Void
    ) async throws {
        let hand = WriterInHand(writer: writer)
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
