public import PortcullisCore

/// The time between a person's wish to be released by force and the release: long enough to think better of it.
///
/// It is measured by the boot clock, which cannot be set and counts time asleep. After a restart of the machine it is
/// served anew in full.
public struct ForcedDelay: Sendable, Hashable {
    /// How long a person waits: an hour.
    public static let standard = Duration.seconds(3_600)

    /// What is to be done at a moment.
    package enum Step: Sendable, Hashable {
        /// So much of the delay is left; look again after a while.
        case wait(left: Duration, again: Duration)
        /// The delay is over.
        case over
    }

    /// How long it is.
    public let length: Duration
    private var start: Moment?

    /// A delay.
    ///
    /// - Parameter isPrivileged: whether the person may do anything on this machine anyway, as root may, and waits for
    ///   nothing.
    public init(isPrivileged: Bool = false) { length = isPrivileged ? .zero : Self.standard }

    /// Looks at the clock: the first look begins the delay, and later ones come at whole minutes before its end.
    package mutating func look(at now: Moment) -> Step {
        let begun = start ?? now
        let passed = now.elapsed(since: begun)
        start = passed == nil ? now : begun
        let left = length - (passed ?? .zero)
        guard left > .zero else { return .over }
        let whole = (left - .nanoseconds(1)).components.seconds / 60 * 60
        return .wait(left: left, again: left - .seconds(whole))
    }

    /// Waits to the end. Each call is a delay of its own.
    ///
    /// - Parameters:
    ///   - clock: measures it.
    ///   - tell: called with the time that is left, at the start and then each minute.
    /// - Throws: `CancellationError` when the task is cancelled before: nothing may be released then.
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
