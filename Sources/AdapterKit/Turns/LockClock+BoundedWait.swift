public import PortcullisCore

extension LockClock {
    /// Waits until some work ends, or until a limit of time is reached. At the limit the work is cancelled
    /// and the call returns. Work that ignores the cancellation continues in the background. A cancellation
    /// of the calling task does not end the wait.
    ///
    /// Without an executor the work stays on the caller's actor. If the system has no thread left for Swift's
    /// pool, work that does not suspend still ends then. Work that blocks its thread blocks the actor.
    ///
    /// - Parameters:
    ///   - limit: the longest wait, by the boot clock.
    ///   - executor: the executor of the work; `nil`: the one of the caller's actor.
    ///   - isolation: the caller's actor.
    ///   - work: the work.
    public func wait(
        atMost limit: Duration,
        on executor: (any TaskExecutor)? = nil,
        isolation: isolated (any Actor)? = #isolation,
        for work: @escaping @Sendable () async -> Void
    ) async {
        let (ended, continuation) = AsyncStream<Void>.makeStream()
        let worker = task(on: executor) {
            await work()
            continuation.finish()
        }
        let timer = task(on: executor) { [self] in
            // The sleep throws only when this timer is cancelled. The wait has already ended by then.
            try? await sleep(until: .sinceBoot(now.sinceBoot + limit))
            continuation.finish()
        }
        // A loop in a cancelled task would end at once, so the loop has a task of its own.
        await task(on: executor) { for await _ in ended {} }.value
        worker.cancel()
        timer.cancel()
    }

    private func task(
        on executor: (any TaskExecutor)?,
        isolation: isolated (any Actor)? = #isolation,
        _ body: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        if let executor { return Task(executorPreference: executor) { await body() } }
        return Task {
            // Capturing the actor makes the task run on it.
            _ = isolation
            await body()
        }
    }
}
