public import PortcullisCore

/// The time between a person's request for a forced release and the release. The person can reconsider the
/// request during this time.
///
/// The delay is measured by the boot clock, which cannot be set and also counts sleep. After a restart of the
/// machine the whole delay begins again.
public struct ForcedDelay: Sendable, Hashable {
    /// The length of the delay: an hour.
    public static let standard = Duration.seconds(3_600)

    /// The next step of a wait.
    package enum Step: Sendable, Hashable {
        /// The delay still lasts for the time `left`. The caller should call ``look(at:)`` again after the
        /// time `again`.
        case wait(left: Duration, again: Duration)
        /// The delay is over.
        case over
    }

    /// The length of the delay.
    public let length: Duration
    private var start: Moment?

    /// Makes a delay.
    ///
    /// - Parameter isPrivileged: whether the person can do anything on this machine anyway, as root can. The
    ///   delay is then zero.
    public init(isPrivileged: Bool = false) { length = isPrivileged ? .zero : Self.standard }

    /// Returns the next step at a moment. The first call begins the delay. While the delay lasts, the result
    /// names the time of the next call. At that time, the rest of the delay is a whole number of minutes.
    package mutating func look(at now: Moment) -> Step {
        let begun = start ?? now
        let passed = now.elapsed(since: begun)
        start = passed == nil ? now : begun
        let left = length - (passed ?? .zero)
        guard left > .zero else { return .over }
        let whole = (left - .nanoseconds(1)).components.seconds / 60 * 60
        return .wait(left: left, again: left - .seconds(whole))
    }

    /// Waits for the whole delay. Each call begins a new delay.
    ///
    /// - Parameters:
    ///   - clock: the clock that measures the delay.
    ///   - tell: called with the time left, at the start and then every minute.
    /// - Throws: `CancellationError` when the task is cancelled before the end. In this case the caller must
    ///   not release the lock.
    public func wait(by clock: any LockClock, _ tell: (Duration) -> Void) async throws(CancellationError) {
        var delay = self
        while true {
            let now = clock.now
            guard case .wait(let left, let again) = delay.look(at: now) else { return }
            tell(left)
            try await clock.sleep(until: .sinceBoot(now.sinceBoot + again))
        }
    }
}
