/// What wrong passcodes lead to.
///
/// The policy is recorded with the passcode when that is set, and holds until another one is recorded.
public struct ThrottlePolicy: Sendable, Hashable, Codable {
    /// Whose clock measures a delay.
    public enum Authority: String, Sendable, Hashable, Codable {
        /// The boot clock of this device; after a restart what was not served is served in full.
        case device
        /// The wall clock, for a server whose instances have each a boot of their own.
        case server
    }

    /// What happens when a number of failures is reached.
    public enum LimitAction: String, Sendable, Hashable, Codable {
        /// The passcode's data is removed and the person signed out.
        case signOut
        /// The secrets that the app named are removed too, first.
        case erase
    }

    /// A number of failures and what follows it.
    public struct Limit: Sendable, Hashable, Codable {
        /// The number of wrong passcodes in a row.
        public var failures: Int
        /// What follows.
        public var action: LimitAction
    }

    /// The delay after the n-th failure in a row is `delays[n - 1]`, the last one for all further failures;
    /// empty: no delay ever.
    public var delays: [Duration]
    /// Whose clock measures.
    public var authority: Authority
    /// What happens after too many failures; `nil`: nothing more.
    public var limit: Limit?

    /// A policy of these parts.
    ///
    /// - Parameters:
    ///   - delays: after the first failure, the second, and so on; the last stands for all further ones.
    ///   - authority: whose clock measures.
    ///   - limit: what happens after too many failures.
    public init(delays: [Duration], authority: Authority = .device, limit: Limit? = nil) {
        precondition(delays.allSatisfy { $0 >= .zero }, "a delay cannot be negative")
        self.delays = delays
        self.authority = authority
        self.limit = limit
    }

    /// No delay and no lock-out: failures are counted and nothing follows.
    public static let unlimited = ThrottlePolicy(delays: [])

    /// None for four failures, then 1 min, 5 min, 15 min, 1 h, 3 h, and 8 h from the tenth on.
    public static let escalating = ThrottlePolicy(
        delays: [.zero, .zero, .zero, .zero] + [60, 300, 900, 3600, 10_800, 28_800].map { .seconds($0) }
    )

    /// The same policy with something that happens after `failures` wrong passcodes in a row, at least one.
    public func afterFailures(_ failures: Int, _ action: LimitAction) -> ThrottlePolicy {
        precondition(failures >= 1, "at least one failure must be possible")
        var policy = self
        policy.limit = Limit(failures: failures, action: action)
        return policy
    }

    /// The same policy measured by another clock.
    public func measured(by authority: Authority) -> ThrottlePolicy {
        var policy = self
        policy.authority = authority
        return policy
    }

    /// The delay after so many failures in a row.
    public func delay(afterFailures failures: Int) -> Duration {
        guard failures > 0, let last = delays.last else { return .zero }
        return failures <= delays.count ? delays[failures - 1] : last
    }

    /// What is due after so many failures in a row.
    public func action(afterFailures failures: Int) -> LimitAction? {
        guard let limit, failures >= limit.failures else { return nil }
        return limit.action
    }
}
