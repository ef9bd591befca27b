/// The wait of a writer before it tries again, after another writer changed the item first.
///
/// The first tries follow at once, because in a file the other writer has finished by then. After that each
/// wait is random, between zero and a bound that doubles with each try up to a limit. Writers that collided
/// are thus spread out, and no writer waits longer than the limit. (The scheme is “full jitter” of Marc
/// Brooker, *Exponential Backoff and Jitter*, AWS Architecture Blog 2015.)
public struct BackOff: Sendable {
    /// Three tries without a wait, then waits of up to 1, 2, 4 … milliseconds, and at most 250.
    public static let standard = BackOff(
        immediateTries: 3,
        first: .milliseconds(1),
        limit: .milliseconds(250),
        draw: { .random(in: 0..<1) },
        sleep: { wait in
            // A cancelled task does not wait. Its caller decides whether it goes on.
            try? await Task.sleep(for: wait)
        }
    )

    private let immediateTries: Int
    private let first: Duration
    private let limit: Duration
    private let draw: @Sendable () -> Double
    private let sleep: @Sendable (Duration) async -> Void

    /// A back-off of these numbers.
    ///
    /// - Parameters:
    ///   - immediateTries: the number of tries that follow without a wait.
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

    /// The bound of the wait after a failed try; `nil` when the next try follows at once.
    ///
    /// - Parameter tries: the number of tries before that one.
    public func bound(after tries: Int) -> Duration? {
        guard tries >= immediateTries else { return nil }
        // The shift is at most 30, because thirty doublings reach every limit.
        return min(limit, first * (1 << min(tries - immediateTries, 30)))
    }

    /// Waits after a try that failed because another writer was first.
    ///
    /// - Parameter tries: the number of tries before that one.
    public func wait(after tries: Int) async {
        guard let bound = bound(after: tries) else { return }
        await sleep(bound * draw())
    }

    /// Repeats an attempt until it has a result, with a wait after each attempt that came too late.
    ///
    /// - Parameter attempt: makes one attempt. It returns `nil` if another writer was first, and is then called again.
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
