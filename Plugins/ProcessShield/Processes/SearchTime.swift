/// Measures how long a search for processes has taken, step by step.
///
/// While the searching thread is suspended, the search misses processes without noticing. A step of more than
/// a millisecond counts as a suspension.
struct SearchTime {
    /// The longest step that counts as time in which the thread ran.
    private static let longestStep = Duration.milliseconds(1)

    /// How long the search has taken. A long step counts as one millisecond. So even a search whose steps are
    /// all long ends at some time.
    private(set) var spent = Duration.zero
    /// The time since the search last missed a process. A process is missed if it ends before it is examined.
    /// Steps in which the thread was suspended do not count.
    private(set) var quiet = Duration.zero
    private var latest: ContinuousClock.Instant

    /// Begins to measure a search.
    init(since now: ContinuousClock.Instant) { latest = now }

    /// Adds the step from the last call until now.
    mutating func goOn(at now: ContinuousClock.Instant) {
        let step = now - latest
        latest = now
        spent += min(step, Self.longestStep)
        if step <= Self.longestStep { quiet += step }
    }

    /// Notes that the search has just missed a process.
    mutating func missed() { quiet = .zero }
}
