internal import AdapterKit
public import PortcullisCore

extension GoalLockService {
    /// Does the same as ``release()``, but waits for a limited time only. After that time the release
    /// continues in the background, and this call throws.
    ///
    /// The call ends even if the store or the shield waits for a file system that does not answer. So a
    /// forced release that has already lifted the shield by other means can use this method to update the
    /// state.
    ///
    /// - Parameter limit: the longest wait, by the boot clock.
    /// - Throws: ``GoalErrorCode/timedOut`` when the time is over or the calling task is cancelled, and the
    ///   errors of ``release()``.
    public func release(within limit: Duration) async throws(GoalError) {
        let (answers, continuation) = AsyncStream<Result<Void, GoalError>>.makeStream()
        // The release may block its thread. A thread of its own leaves those of Swift's pool to the timer.
        Task(executorPreference: try? ThreadExecutor()) {
            do throws(GoalError) {
                try await self.release()
                continuation.yield(.success(()))
            } catch {
                continuation.yield(.failure(error))
            }
        }
        let clock = backends.clock
        let timer = Task {
            // The sleep throws only when this method ends and cancels the timer.
            try? await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + limit))
            continuation.finish()
        }
        defer { timer.cancel() }
        for await answer in answers { return try answer.get() }
        throw GoalError(code: .timedOut, message: "switching App Lock off takes too long")
    }
}
