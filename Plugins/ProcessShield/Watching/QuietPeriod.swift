/// Decides when changes that come in quick succession are reported together. They are reported after a pause,
/// or when a limit has passed since the first change. Without the limit, changes without a pause would never
/// be reported.
struct QuietPeriod {
    /// The time without a change after which the changes are reported.
    static let pause = Duration.milliseconds(20)
    /// The longest time between a change and its report.
    static let limit = Duration.seconds(1)

    /// The times of the first and of the latest change that were not reported yet.
    private var changes: (first: Duration, latest: Duration)?

    /// Records a change. The time `now` must come from a clock that never goes back.
    mutating func note(at now: Duration) { changes = (changes?.first ?? now, now) }

    /// How long to wait before the changes are reported; zero when they are due, `nil` when there are none.
    func left(at now: Duration) -> Duration? {
        changes.map { max(.zero, min($0.latest + Self.pause, $0.first + Self.limit) - now) }
    }

    /// Returns whether the changes are due, and counts them as reported in that case.
    mutating func isDue(at now: Duration) -> Bool {
        guard left(at: now) == .zero else { return false }
        changes = nil
        return true
    }
}
