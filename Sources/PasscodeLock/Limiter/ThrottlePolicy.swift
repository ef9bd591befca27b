/// The consequences of wrong passcodes.
///
/// The record of a passcode keeps the policy under which the passcode was set. The policy holds until another
/// policy is stored.
public struct ThrottlePolicy: Sendable, Hashable, Codable {
    /// The clock that measures a delay.
    public enum Authority: String, Sendable, Hashable, Codable {
        /// The boot clock of this device. After a restart, the remaining time that was stored last has to
        /// pass in full.
        case device
        /// The wall clock, for a server whose instances do not share a boot clock.
        case server
    }

    /// The consequence when the failures reach a limit.
    public enum LimitAction: String, Sendable, Hashable, Codable {
        /// The passcode's data is removed and the person is signed out.
        case signOut
        /// First the secrets that the app named are removed, and then the passcode's data. The person is
        /// signed out.
        case erase
    }

    /// A number of failures and its consequence.
    public struct Limit: Sendable, Hashable, Codable {
        /// The number of wrong passcodes in a row.
        public var failures: Int
        /// The consequence of this number of failures.
        public var action: LimitAction
    }

    /// The delay after the n-th failure in a row is `delays[n - 1]`. The last delay applies to all further
    /// failures. An empty list means no delay.
    public var delays: [Duration]
    /// The clock that measures a delay.
    public var authority: Authority
    /// The consequence of too many failures; `nil`: there is none.
    public var limit: Limit?

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - delays: the delay after the first failure, the second, and so on. The last delay applies to all
    ///     further failures.
    ///   - authority: the clock that measures a delay.
    ///   - limit: the consequence of too many failures.
    public init(delays: [Duration], authority: Authority = .device, limit: Limit? = nil) {
        precondition(delays.allSatisfy { $0 >= .zero }, "a delay cannot be negative")
        self.delays = delays
        self.authority = authority
        self.limit = limit
    }

    /// No delay and no limit: failures are only counted.
    public static let unlimited = ThrottlePolicy(delays: [])

    /// No delay after the first four failures. The delays after the next failures are 1 min, 5 min, 15 min, 1
    /// h, 3 h and 8 h. Each failure after the tenth also causes 8 h.
    public static let escalating = ThrottlePolicy(
        delays: [.zero, .zero, .zero, .zero] + [60, 300, 900, 3600, 10_800, 28_800].map { .seconds($0) }
    )

    /// Returns this policy with the limit `action` after `failures` wrong passcodes in a row. `failures` is
    /// at least 1.
    public func afterFailures(_ failures: Int, _ action: LimitAction) -> ThrottlePolicy {
        precondition(failures >= 1, "at least one failure must be possible")
        var policy = self
        policy.limit = Limit(failures: failures, action: action)
        return policy
    }

    /// Returns this policy with another clock that measures delays.
    public func measured(by authority: Authority) -> ThrottlePolicy {
        var policy = self
        policy.authority = authority
        return policy
    }

    /// Returns this policy with each delay lengthened by a margin, up to ``LockTimeout/longest``. A delay of
    /// zero stays zero.
    func lengthened(by margin: Duration) -> ThrottlePolicy {
        guard margin > .zero else { return self }
        var policy = self
        policy.delays = delays.map { $0 == .zero ? .zero : min($0 + margin, LockTimeout.longest) }
        return policy
    }

    /// The delay after this number of failures in a row.
    public func delay(afterFailures failures: Int) -> Duration {
        guard failures > 0, let last = delays.last else { return .zero }
        return failures <= delays.count ? delays[failures - 1] : last
    }

    /// The consequence after this number of failures in a row; `nil`: there is none yet.
    public func action(afterFailures failures: Int) -> LimitAction? {
        guard let limit, failures >= limit.failures else { return nil }
        return limit.action
    }
}
