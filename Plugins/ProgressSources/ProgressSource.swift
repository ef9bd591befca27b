internal import PortcullisCore

/// A source of readings, for one reader.
protocol ProgressSource: Sendable {
    /// Returns the next reading; `nil` if there are no more.
    func next() async -> ProgressReading?

    /// Ends the source. A call of ``next()`` that waits soon returns `nil`. Processes that the source runs
    /// are killed.
    func stop()
}

extension ProgressSource {
    /// The readings. Each reading is made only when a task asks for it, so readings do not pile up.
    var stream: AsyncStream<ProgressReading> {
        AsyncStream(unfolding: { await next() }, onCancel: { stop() })
    }
}
