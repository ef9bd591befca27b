internal import PortcullisCore

/// A source of readings, for one reader.
protocol ProgressSource: Sendable {
    /// Returns the next reading; `nil` if there are no more.
    func next() async -> ProgressReading?

    /// Ends the source. A waiting ``next()`` soon returns `nil`, and processes that the source runs are killed.
    func stop()
}

extension ProgressSource {
    /// The readings. Each reading is made only when a task asks for it, so readings do not pile up.
    var stream: AsyncStream<ProgressReading> {
        AsyncStream(unfolding: { await next() }, onCancel: { stop() })
    }
}
