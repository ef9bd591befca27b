/// The wait of a writer between two attempts to change an item. The writer tries again because another writer
/// changed the item first.
///
/// The first repetitions follow at once, because the other writer has usually finished by then. After that
/// each wait is random, between zero and a bound that doubles with each attempt up to a limit. Thus writers
/// that collided try again at different times, and no wait is longer than the limit. (The scheme is “full
/// jitter” of Marc Brooker, *Exponential Backoff and Jitter*, AWS Architecture Blog 2015.)
public struct BackOff: Sendable {
    /// Three repetitions without a wait, then waits of up to 1, 2, 4 … milliseconds, and at most 250.
    public static let standard = BackOff(
        immediateTries: 3,
        first: .milliseconds(1),
        limit: .milliseconds(250),
        draw: { .random(in: 0..<1) },
        sleep: { wait in
            // In a cancelled task the sleep ends at once. The error is ignored, because the caller decides
            // whether it makes another attempt.
            try? await Task.sleep(for: wait)
        }
    )

    private let immediateTries: Int
    private let first: Duration
    private let limit: Duration
    private let draw: @Sendable () -> Double
    private let sleep: @Sendable (Duration) async -> Void

    /// Makes a back-off of these numbers.
    ///
    /// - Parameters:
    ///   - immediateTries: the number of repetitions that follow without a wait.
    ///   - first: the bound of the first wait.
    ///   - limit: the greatest bound.
    ///   - draw: returns a random number from 0 up to 1 for each wait.
    ///   - sleep: waits for a duration.
    public init(
        immediateTries: Int,
        first: Duration,
        limit: Duration,
        draw: @escaping @Sendable () -> Double,
        sleep: @escaping @Sendable (Duration) async -> Void
    ) {
        (self.immediateTries, self.first, self.limit) = (immediateTries, first, limit)
        (self.draw, self.sleep) = (draw, sleep)
    }

    /// The bound of the wait after a failed attempt; `nil` when the next attempt follows at once.
    ///
    /// - Parameter tries: the number of attempts before the failed one.
    public func bound(after tries: Int) -> Duration? {
        guard tries >= immediateTries else { return nil }
        // The shift is limited to 30, because a larger one could overflow. Thirty doublings already exceed
        // every practical limit.
        return min(limit, first * (1 << min(tries - immediateTries, 30)))
    }

    /// Waits after an attempt that failed because another writer was first.
    ///
    /// - Parameter tries: the number of attempts before the failed one.
    public func wait(after tries: Int) async {
        guard let bound = bound(after: tries) else { return }
        await sleep(bound * draw())
    }

    /// Repeats an attempt until it has a result, with a wait after each failed attempt.
    ///
    /// - Parameter attempt: makes one attempt. It returns `nil` if another writer was first, and is then
    ///   called again.
    /// - Returns: the result of the last attempt.
    /// - Throws: the error of an attempt.
    public func untilDecided<Outcome, E: Error>(
        _ attempt: () async throws(E) -> Outcome?
    ) async throws(E) -> Outcome {
        var tries = 0
        while true {
            if let outcome = try await attempt() { return outcome }
            await wait(after: tries)
            tries += 1
        }
    }
}
