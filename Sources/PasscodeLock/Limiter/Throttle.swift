public import PortcullisCore

/// The count of wrong passcodes, and the delay that is running. It is a pure value that is stored with the
/// passcode.
///
/// A delay is stored as a pair: the time that was left, and the moment of storing. Until the next restart,
/// the boot clock measures how much of the time has passed. After a restart it is unknown how long the
/// machine was off. So the whole stored time has to pass again. The same applies to a machine that was reset
/// to a snapshot.
///
/// With ``ThrottlePolicy/Authority/server``, the wall clock measures the time. Moving that clock back does
/// not shorten a delay.
public struct Throttle: Sendable, Hashable, Codable {
    /// A delay that is running.
    struct Delay: Sendable, Hashable, Codable {
        /// The remaining time of the delay at `noted`.
        var left: Duration
        /// The moment at which `left` was stored.
        var noted: Moment
    }

    /// The number of wrong passcodes in a row. It includes a passcode that is being checked.
    public private(set) var failures = 0
    private(set) var delay: Delay?
    /// The moment at which the last try was counted, if that try reached the limit of failures; otherwise
    /// `nil`. A limit that is lowered later does not change the value.
    private(set) var lastTry: Moment?
    /// A number that tells counted tries apart. A right passcode does not reset it. A refund takes it back
    /// together with its own try. The value is `nil` before the first try, and in a record of an earlier
    /// release.
    private var tries: UInt64?

    /// The longest time that the check of a passcode is assumed to take.
    private static let checkTime = Duration.seconds(60)

    /// Makes a throttle without failures and without a delay.
    public init() {}

    /// The time until the next passcode may be tried; zero when a passcode may be tried at `now`.
    public func timeLeft(at now: Moment, by authority: ThrottlePolicy.Authority) -> Duration {
        guard let delay else { return .zero }
        let served =
            switch authority {
            case .device: now.elapsed(since: delay.noted) ?? .zero
            case .server: max(.zero, now.wall - delay.noted.wall)
            }
        return max(.zero, delay.left - served)
    }

    /// Counts a try before it is made. The try counts as a failure until the passcode turns out to be right.
    public mutating func count(at now: Moment, under policy: ThrottlePolicy) {
        failures += 1
        tries = (tries ?? 0) &+ 1
        let left = policy.delay(afterFailures: failures)
        delay = left > .zero ? Delay(left: left, noted: now) : nil
        lastTry = policy.action(afterFailures: failures) == nil ? nil : now
    }

    /// The action of the limit, if the try that was counted last has reached the limit.
    ///
    /// If that try had reached no limit, and the limit was lowered afterwards, the result is `nil`. One more
    /// passcode may then be tried. This try is counted under the lowered limit.
    func dueAction(under policy: ThrottlePolicy) -> ThrottlePolicy.LimitAction? {
        lastTry == nil ? nil : policy.action(afterFailures: failures)
    }

    /// The longest time for which the try that reached the limit may still be under way; zero if this try has
    /// ended or no try reached the limit.
    ///
    /// With the boot clock, a try that was counted before a restart has ended. With the wall clock, a stored
    /// moment that is more than a minute in the future comes from a wrong clock. The try then counts as
    /// ended.
    func timeLeftOfLastTry(at now: Moment, by authority: ThrottlePolicy.Authority) -> Duration {
        guard let lastTry else { return .zero }
        let age: Duration? =
            switch authority {
            case .device: now.elapsed(since: lastTry)
            case .server: lastTry.wall - now.wall > Self.checkTime ? nil : now.wall - lastTry.wall
            }
        return age.map { max(.zero, Self.checkTime - max(.zero, $0)) } ?? .zero
    }

    /// Removes the failures and the delay after a right passcode.
    public mutating func clear() {
        failures = 0
        delay = nil
        lastTry = nil
    }

    /// Restores the failures that were cleared for a passcode that was not right after all.
    ///
    /// Tries that were counted since then stay counted. If a right passcode has come since then, nothing
    /// changes.
    ///
    /// - Parameters:
    ///   - before: the throttle before it was cleared.
    ///   - after: the throttle after it was cleared.
    mutating func restore(_ before: Throttle, after: Throttle) {
        if self == after {
            self = before
            return
        }
        let counted = (tries ?? 0) &- (after.tries ?? 0)
        if failures > 0, UInt64(failures) == counted { failures += before.failures }
    }

    /// Whether the remaining time of the delay should be stored again. With the boot clock, the result is
    /// `true` if the remaining time was stored at least a minute ago, or before the last restart.
    ///
    /// With the wall clock, the result is `true` only if the stored moment lies more than a minute in the
    /// future. The clock was wrong when that moment was stored, or is wrong now. The delay would not begin to
    /// get shorter before the clock has reached that moment. If the caller stores the remaining time with the
    /// present moment, the delay gets shorter from now on.
    public func wantsNote(at now: Moment, by authority: ThrottlePolicy.Authority) -> Bool {
        guard let delay else { return false }
        if authority == .server { return delay.noted.wall - now.wall > .seconds(60) }
        guard let elapsed = now.elapsed(since: delay.noted) else { return true }
        return elapsed >= .seconds(60)
    }

    /// Stores how much of the delay is left at `now`.
    public mutating func note(at now: Moment, by authority: ThrottlePolicy.Authority) {
        let left = timeLeft(at: now, by: authority)
        delay = left > .zero ? Delay(left: left, noted: now) : nil
    }
}
