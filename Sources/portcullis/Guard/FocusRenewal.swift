/// When to ask the terminal anew to report its focus.
///
/// Output can switch the reports off in more ways than can be read along with, and a terminal that is left would then
/// never lock. So they are asked for again after output, at most once a second.
struct FocusRenewal: Sendable, Hashable {
    static let interval = Duration.seconds(1)
    /// How long output may stand still in the middle of a sequence before that is broken off for it.
    static let patience = Duration.seconds(5)

    private var last: Duration
    /// When output was shown that they have not been asked for since; `nil` when none was.
    private var shown: Duration?

    /// They have just been asked for.
    init(at now: Duration) { last = now }

    /// Output reached the terminal.
    mutating func outputWasShown(at now: Duration) { shown = now }

    /// How long until they are to be asked for; `nil` when nothing has been shown since.
    ///
    /// - Parameter isInside: whether the output stands in the middle of a sequence.
    func wait(at now: Duration, isInside: Bool) -> Duration? {
        guard let shown else { return nil }
        let due = isInside ? max(last + Self.interval, shown + Self.patience) : last + Self.interval
        return max(.zero, due - now)
    }

    /// - Returns: whether to ask for them now, which is then taken for done.
    mutating func isDue(at now: Duration, isInside: Bool) -> Bool {
        guard wait(at: now, isInside: isInside) == .zero else { return false }
        last = now
        shown = nil
        return true
    }
}
