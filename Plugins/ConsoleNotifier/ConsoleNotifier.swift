public import PortcullisCore

/// Writes notifications to a stream, by default to standard error.
///
/// A caller never waits for the stream. Each line is put into a limited backlog, and a thread of the notifier
/// writes the lines of the backlog. If the backlog is full, because the stream's reader is stuck, delivering
/// throws ``/PortcullisCore/NotifierErrorCode/systemFailure``. A line that was written cannot be withdrawn.
public final class ConsoleNotifier: Notifier {
    private let format: LineFormat
    private let clock: any LockClock
    private let writer: BacklogWriter

    /// Makes a notifier that writes to a sink.
    ///
    /// - Parameters:
    ///   - format: the format of the lines.
    ///   - clock: the source of the times in the lines.
    ///   - backlog: the largest number of lines that wait for the sink.
    ///   - sink: receives the bytes of each line, including the newline. The sink is called on the notifier's
    ///     own thread, one line at a time, and may block.
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

    /// Writes a notification as one line.
    public func deliver(_ notification: LockNotification) async throws(NotifierError) {
        let line = format.line(for: notification, at: clock.now.wall) + "\n"
        guard writer.append(Array(line.utf8)) else {
            throw NotifierError(code: .systemFailure, message: "the stream's reader does not keep up")
        }
    }

    /// Does nothing, because a line that was written stays.
    public func withdraw(_ ids: Set<String>) async {}

    /// Waits until the sink has received all lines of the backlog, or until the task is cancelled.
    ///
    /// A program calls this before it ends. Lines that the sink has not received by the program's end are
    /// lost.
    public func flush() async { await writer.flush() }
}
