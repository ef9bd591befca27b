internal import PortcullisCore

/// What gives readings one after the other. One reader asks at a time.
protocol ProgressSource: Sendable {
    /// The next reading; `nil` when there will be no more.
    func next() async -> ProgressReading?

    /// Ends it: a waiting ``next()`` returns `nil` soon, and what it runs is gone.
    func stop()
}

extension ProgressSource {
    /// The readings, each made when it is asked for, so that nothing piles up.
    var stream: AsyncStream<ProgressReading> {
        AsyncStream(unfolding: { await next() }, onCancel: { stop() })
    }
}
