/// How long a search for processes has gone on, step by step.
///
/// Time in which the searching thread did not run says nothing about what the search has missed. A step of more than a
/// millisecond is taken for such time.
struct SearchTime {
    /// The longest step that is taken for one in which the thread ran.
    private static let longestStep = Duration.milliseconds(1)

    /// How long the search has gone on. Of each step it counts a millisecond at most, so that a search comes to its end also
    /// where each of its steps is long.
    private(set) var spent = Duration.zero
    /// How long it has gone on since a process was missed, without the steps in which the thread did not run.
    private(set) var quiet = Duration.zero
    private var latest: ContinuousClock.Instant

    /// A search that begins now.
    init(since now: ContinuousClock.Instant) { latest = now }

    /// Notes that the search goes on.
    mutating func goOn(at now: ContinuousClock.Instant) {
        let step = now - latest
        latest = now
        spent += min(step, Self.longestStep)
        if step <= Self.longestStep { quiet += step }
    }

    /// Notes that a process was missed just now.
    mutating func missed() { quiet = .zero }
}
