internal import PortcullisCore

/// A source of readings, for one reader.
protocol ProgressSource: Sendable {
    /// Returns the next reading; `nil` if there are no more.
    func next() async -> ProgressReading?

    /// Ends the source, after the task that reads from the source was cancelled. If a call of ``next()`` is
    /// waiting, the call returns `nil` after a short time. Processes that the source runs are killed.
    func stop()
}

extension ProgressSource {
    /// The readings. Each reading is made only when a task asks for it, so readings do not pile up.
    var stream: AsyncStream<ProgressReading> {
        AsyncStream(unfolding: { await next() }, onCancel: { stop() })
    }
}

extension ProgressTrouble {
    /// The trouble of a source whose number has an unknown date. The number may belong to an earlier day,
    /// so it does not count.
    static func unknownDate(of source: String, _ error: any Error) -> ProgressTrouble {
        ProgressTrouble(
            reason: .unreadable,
            message: "\(source): \(ForeignText.line("the date of its number is unknown: \(error)"))"
        )
    }
}
