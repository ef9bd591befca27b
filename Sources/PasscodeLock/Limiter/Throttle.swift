public import PortcullisCore

/// The count of wrong passcodes and the delay that is being served: pure state, persisted with the passcode.
///
/// A delay is kept as what is left of it and the moment of which that is true. Within one boot it shrinks with
/// the boot clock; after a restart, or on a machine put back to a snapshot, what was last noted is served in
/// full, because how long the machine was off cannot be known. The wall clock decides only where the policy
/// says so (``ThrottlePolicy/Authority/server``), and there moving it back gains nothing.
public struct Throttle: Sendable, Hashable, Codable {
    /// A delay that is being served.
    struct Delay: Sendable, Hashable, Codable {
        /// What was left of it.
        var left: Duration
        /// The moment at which that was left.
        var noted: Moment
    }

    /// Wrong passcodes in a row; one that is being checked counts already.
    public private(set) var failures = 0
    private(set) var delay: Delay?

    /// No failures and no delay.
    public init() {}

    /// How long to wait at `now`; zero when a passcode may be tried.
    public func timeLeft(at now: Moment, by authority: ThrottlePolicy.Authority) -> Duration {
        guard let delay else { return .zero }
        let served =
            switch authority {
            case .device: now.elapsed(since: delay.noted) ?? .zero
            case .server: max(.zero, now.wall - delay.noted.wall)
            }
        return max(.zero, delay.left - served)
    }

    /// Counts a try before it is made: it is a failure until the opposite is known.
    public mutating func count(at now: Moment, under policy: ThrottlePolicy) {
        failures += 1
        let left = policy.delay(afterFailures: failures)
        delay = left > .zero ? Delay(left: left, noted: now) : nil
    }

    /// Forgets failures and delay: the passcode was right.
    public mutating func clear() { self = Throttle() }

    /// Whether the time served should be written down: the last note is a minute old, or of another boot.
    ///
    /// Where the wall clock decides, only when the note lies more than a minute ahead, left by a clock that was wrong:
    /// the delay would hold until the clock gets there. Noted now, it is served once more in full.
    public func wantsNote(at now: Moment, by authority: ThrottlePolicy.Authority) -> Bool {
        guard let delay else { return false }
        if authority == .server { return delay.noted.wall - now.wall > .seconds(60) }
        guard let elapsed = now.elapsed(since: delay.noted) else { return true }
        return elapsed >= .seconds(60)
    }

    /// Writes down the time served so far.
    public mutating func note(at now: Moment, by authority: ThrottlePolicy.Authority) {
        let left = timeLeft(at: now, by: authority)
        delay = left > .zero ? Delay(left: left, noted: now) : nil
    }
}
