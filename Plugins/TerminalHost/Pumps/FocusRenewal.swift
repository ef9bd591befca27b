/// Decides when to ask the terminal again for focus reports.
///
/// Output can switch the reports off in more ways than the tracker notices. A terminal that the person leaves would then
/// never lock. So the request is repeated after output, at most once a second.
struct FocusRenewal: Sendable, Hashable {
    static let interval = Duration.seconds(1)
    /// How long an unfinished sequence delays the request. After that time the sequence is broken off.
    static let patience = Duration.seconds(5)

    private var last: Duration
    /// Whether output was shown since the last request.
    private var isDue = false

    /// Begins at the moment of a request.
    init(at now: Duration) { last = now }

    /// Notes that output reached the terminal.
    mutating func outputWasShown() { isDue = true }

    /// Returns the time until the next request; `nil` when no output was shown since the last one.
    ///
    /// - Parameters:
    ///   - now: the present moment.
    ///   - start: when the unfinished sequence of the output began; `nil` between two sequences.
    func wait(at now: Duration, insideSince start: Duration?) -> Duration? {
        guard isDue else { return nil }
        let due = max(last + Self.interval, start.map { $0 + Self.patience } ?? .zero)
        return max(.zero, due - now)
    }

    /// Returns whether to ask for focus reports now. If so, the request counts as made.
    mutating func isDue(at now: Duration, insideSince start: Duration?) -> Bool {
        guard wait(at: now, insideSince: start) == .zero else { return false }
        last = now
        isDue = false
        return true
    }
}
