public import PortcullisCore

extension LockClock {
    /// Waits until some work ends, or until a limit of time is reached. At the limit the work is cancelled
    /// and the call returns. Work that ignores the cancellation continues in the background. A cancellation
    /// of the calling task does not end the wait.
    ///
    /// - Parameters:
    ///   - limit: the longest wait, by the boot clock.
    ///   - executor: the executor of the work; `nil`: Swift's pool.
    ///   - work: the work.
    public func wait(
        atMost limit: Duration,
        on executor: (any TaskExecutor)? = nil,
        for work: @escaping @Sendable () async -> Void
    ) async {
        let (ended, continuation) = AsyncStream<Void>.makeStream()
        let worker = Task(executorPreference: executor) {
            await work()
            continuation.finish()
        }
        let timer = Task(executorPreference: executor) { [self] in
            // The sleep throws only when this timer is cancelled. The wait has already ended by then.
            try? await sleep(until: .sinceBoot(now.sinceBoot + limit))
            continuation.finish()
        }
        // A loop in a cancelled task would end at once, so the loop has a task of its own.
        await Task(executorPreference: executor) { for await _ in ended {} }.value
        worker.cancel()
        timer.cancel()
    }
}
