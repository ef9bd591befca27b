/// Decides when to ask the terminal again for focus reports.
///
/// ``ModeTracker`` does not notice every way in which output can switch the reports off. Without reports, the
/// run would not lock when the person leaves the terminal. So the request is repeated after output and after
/// a stop of the process, at most once a second.
struct FocusRenewal: Sendable, Hashable {
    static let interval = Duration.seconds(1)
    /// The longest time for which an unfinished sequence delays the request. After this time, the sequence is
    /// broken off.
    static let patience = Duration.seconds(5)

    private var last: Duration
    /// Whether the reports may have been switched off since the last request.
    private var isDue = false

    /// Creates the state after a request that was made at the time `now`.
    init(at now: Duration) { last = now }

    /// Notes that the reports may be off: output reached the terminal, or another program has used it.
    mutating func reportsMayBeOff() { isDue = true }

    /// Returns the time until the next request; `nil` if nothing can have switched the reports off since the
    /// last request.
    ///
    /// - Parameters:
    ///   - now: the current time.
    ///   - start: the time at which the unfinished sequence of the output began; `nil` between two sequences.
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
