/// For how long a search for processes has gone on without missing one.
///
/// Time in which the searching thread did not run does not count.
struct QuietPeriod {
    private var start: ContinuousClock.Instant
    private var latest: ContinuousClock.Instant

    /// A period that begins now.
    init(since now: ContinuousClock.Instant) { (start, latest) = (now, now) }

    /// How long it is.
    var length: Duration { latest - start }

    /// Notes that the search goes on. More than a millisecond since the step before is time in which the thread did not run.
    mutating func goOn(at now: ContinuousClock.Instant) {
        if now - latest > .milliseconds(1) { start += now - latest }
        latest = now
    }

    /// Notes that a process was missed just now.
    mutating func restart() { start = latest }
}
