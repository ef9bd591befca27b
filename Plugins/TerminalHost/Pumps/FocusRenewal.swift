/// When to ask the terminal anew to report its focus.
///
/// Output can switch the reports off in more ways than can be read along with, and a terminal that is left would then
/// never lock. So they are asked for again after output, at most once a second.
struct FocusRenewal: Sendable, Hashable {
    static let interval = Duration.seconds(1)
    /// How long a sequence may go on before it is broken off for it, whether or not more of it comes.
    static let patience = Duration.seconds(5)

    private var last: Duration
    /// Whether output was shown that they have not been asked for since.
    private var isDue = false

    /// They have just been asked for.
    init(at now: Duration) { last = now }

    /// Output reached the terminal.
    mutating func outputWasShown() { isDue = true }

    /// How long until they are to be asked for; `nil` when nothing has been shown since.
    ///
    /// - Parameters:
    ///   - now: the moment.
    ///   - start: when the sequence began that the output stands in the middle of; `nil` between two.
    func wait(at now: Duration, insideSince start: Duration?) -> Duration? {
        guard isDue else { return nil }
        let due = max(last + Self.interval, start.map { $0 + Self.patience } ?? .zero)
        return max(.zero, due - now)
    }

    /// - Returns: whether to ask for them now, which is then taken for done.
    mutating func isDue(at now: Duration, insideSince start: Duration?) -> Bool {
        guard wait(at: now, insideSince: start) == .zero else { return false }
        last = now
        isDue = false
        return true
    }
}
