public import PortcullisCore

/// Writes notifications to a stream, standard error unless told otherwise.
///
/// A caller never waits for the stream: lines go through a bounded backlog to a thread of their own, and when a stuck
/// reader has let it fill up, delivering throws ``/PortcullisCore/NotifierErrorCode/systemFailure``. What was written
/// cannot be withdrawn.
public final class ConsoleNotifier: Notifier {
    private let format: LineFormat
    private let clock: any LockClock
    private let writer: BacklogWriter

    /// A notifier that writes to a sink.
    ///
    /// - Parameters:
    ///   - format: how a notification becomes a line.
    ///   - clock: stamps the lines.
    ///   - backlog: the most lines that wait for the sink.
    ///   - sink: takes each line's bytes, the newline included. It is called on a thread of the notifier's own,
    ///     one line at a time, and may block.
    public init(
        format: LineFormat = .plain,
        clock: any LockClock,
        backlog: Int = 256,
        sink: @escaping @Sendable ([UInt8]) -> Void = ConsoleNotifier.descriptorSink(2)
    ) {
        self.format = format
        self.clock = clock
        self.writer = BacklogWriter(capacity: backlog, sink: sink)
    }

    /// Always `true`: writing to a stream needs no permission.
    public func requestAuthorization() async -> Bool { true }

    /// Writes a line.
    public func deliver(_ notification: LockNotification) async throws(NotifierError) {
        let line = format.line(for: notification, at: clock.now.wall) + "\n"
        guard writer.append(Array(line.utf8)) else {
            throw NotifierError(code: .systemFailure, message: "the stream's reader does not keep up")
        }
    }

    /// Does nothing: a line that was written stays.
    public func withdraw(_ ids: Set<String>) async {}

    /// Waits until the sink has taken all lines so far, or the task is cancelled.
    ///
    /// For a program that is about to end; it would lose what the thread has not written.
    public func flush() async { await writer.flush() }
}
