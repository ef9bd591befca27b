/// How long a writer waits before it tries again, after another one was faster.
///
/// The first tries follow at once, because in a file the other writer is through by then. From then on the wait is drawn
/// between nothing and a bound, which doubles with each try up to a limit: writers that collided once are spread, and
/// none waits for longer than the limit. (The scheme is “full jitter” of Marc Brooker, *Exponential Backoff and Jitter*,
/// AWS Architecture Blog 2015.)
public struct BackOff: Sendable {
    /// Three tries at once, then waits of up to 1, 2, 4 … milliseconds, and never more than 250.
    public static let standard = BackOff(
        immediateTries: 3,
        first: .milliseconds(1),
        limit: .milliseconds(250),
        draw: { .random(in: 0..<1) },
        sleep: { wait in
            // A cancelled task does not wait; whether it goes on is for its caller to say.
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
    ///   - immediateTries: how many tries follow without a wait.
    ///   - first: the bound of the first wait.
    ///   - limit: the longest bound.
    ///   - draw: a random number from 0 up to 1, for each wait.
    ///   - sleep: waits.
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

    /// The bound of the wait after a try; `nil` when the next one follows at once.
    ///
    /// - Parameter tries: how many tries came before that one.
    public func bound(after tries: Int) -> Duration? {
        guard tries >= immediateTries else { return nil }
        // Beyond thirty doublings every limit is reached.
        return min(limit, first * (1 << min(tries - immediateTries, 30)))
    }

    /// Waits after a try that was overtaken.
    ///
    /// - Parameter tries: how many tries came before that one.
    public func wait(after tries: Int) async {
        guard let bound = bound(after: tries) else { return }
        await sleep(bound * draw())
    }
}
