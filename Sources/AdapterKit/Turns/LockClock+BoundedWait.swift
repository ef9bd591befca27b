public import PortcullisCore
internal import Synchronization

extension LockClock {
    /// Waits until some work ends, or until a limit of time is reached. At the limit the work is cancelled
    /// and the call returns. Work that ignores the cancellation continues in the background. A cancellation
    /// of the calling task does not end the wait.
    ///
    /// Without an executor the work runs on the caller's actor. Work that does not suspend then ends even if
    /// the system has no thread left for Swift's pool, and the wait ends with the work. Work that blocks its
    /// thread blocks the actor.
    ///
    /// Without an executor and without an actor the work runs in Swift's pool, even if the calling task
    /// prefers an executor.
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
        await wait(atMost: limit, working: executor, timing: executor, for: work)
    }

    /// Waits for work on one executor, with a limit that is measured on another one.
    private func wait(
        atMost limit: Duration,
        working: (any TaskExecutor)?,
        timing: (any TaskExecutor)?,
        isolation: isolated (any Actor)? = #isolation,
        for work: @escaping @Sendable () async -> Void
    ) async {
        let ending = WaitEnding()
        let worker = task(on: working) {
            await work()
            ending.come()
        }
        let timer = task(on: timing) { [self] in
            // The sleep throws only when this timer is cancelled. The wait has already ended by then.
            try? await sleep(until: .sinceBoot(now.sinceBoot + limit))
            ending.come()
        }
        await ending.wait()
        worker.cancel()
        timer.cancel()
    }

    /// Waits for the answer of some work, as ``wait(atMost:on:isolation:for:)`` waits for work.
    ///
    /// The work runs on a thread of its own, and blocks it as long as a call does not return. Swift's pool has
    /// one thread for each processor. So a few such calls in the pool would leave no thread for the limit. If
    /// the system has no thread left, the work runs on the caller's actor.
    ///
    /// - Parameters:
    ///   - limit: the longest wait, by the boot clock.
    ///   - isolation: the caller's actor.
    ///   - work: the work.
    /// - Returns: the answer; `nil` if the limit was reached first. Work that ends as soon as it is cancelled may
    ///   still give its answer.
    /// - Throws: the error of the work.
    package func answer<Answer: Sendable, E: Error>(
        within limit: Duration,
        isolation: isolated (any Actor)? = #isolation,
        of work: @escaping @Sendable () async throws(E) -> Answer
    ) async throws(E) -> Answer? {
        let box = BoundedAnswer.Box<Result<Answer, E>>()
        await wait(atMost: limit, working: try? ThreadExecutor(), timing: nil) {
            let result: Result<Answer, E>
            do throws(E) { result = .success(try await work()) } catch { result = .failure(error) }
            box.answer.withLock { $0 = result }
        }
        return try box.answer.withLock(\.self)?.get()
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

/// The end of a limited wait: the end of the work or the limit, whichever comes first.
///
/// A loop over an `AsyncStream` is not used for this wait, because the stream's `next()` runs in Swift's pool
/// even if the loop is on an actor. This class uses the pool only if the caller itself runs in the pool.
private final class WaitEnding: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Void, Never>)
        case over
    }

    private let state = Mutex(State.open)

    /// Ends the wait. A second call changes nothing.
    func come() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            defer { state = .over }
            if case .awaited(let waiting) = state { return waiting }
            return nil
        }
        waiting?.resume()
    }

    /// Waits for the end, also in a cancelled task. It is called once.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state -> Bool in
                if case .over = state { return true }
                state = .awaited(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }
}
