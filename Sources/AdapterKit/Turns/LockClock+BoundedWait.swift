public import PortcullisCore

extension LockClock {
    /// Waits for some work, but no longer than this: then the work is cancelled, and goes on by itself if it does not
    /// heed that.
    ///
    /// - Parameters:
    ///   - limit: the longest wait, by the boot clock.
    ///   - work: what is waited for.
    public func wait(atMost limit: Duration, for work: @escaping @Sendable () async -> Void) async {
        let (ended, continuation) = AsyncStream<Void>.makeStream()
        let worker = Task {
            await work()
            continuation.finish()
        }
        let timer = Task { [self] in
            // Cancelled: the work was faster.
            try? await sleep(until: .sinceBoot(now.sinceBoot + limit))
            continuation.finish()
        }
        for await _ in ended {}
        worker.cancel()
        timer.cancel()
    }
}
