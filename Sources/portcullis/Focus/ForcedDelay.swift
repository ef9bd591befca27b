internal import PortcullisCore

/// The time between a person's wish to be released by force and the release: long enough to think better of it.
///
/// It is measured by the boot clock, which cannot be set and counts time asleep.
struct ForcedDelay: Sendable {
    /// How long a person waits; root does not.
    static let standard = Duration.seconds(3600)

    let length: Duration
    let clock: any LockClock

    /// Waits to the end.
    ///
    /// - Parameter tell: called with the time that is left, at the start and then each minute.
    /// - Throws: `CancellationError` when the task is cancelled before.
    func wait(_ tell: (Duration) -> Void) async throws(CancellationError) {
        let end = clock.now.sinceBoot + length
        while true {
            let left = end - clock.now.sinceBoot
            guard left > .zero else { return }
            tell(left)
            let whole = (left - .nanoseconds(1)).components.seconds / 60 * 60
            try await clock.sleep(until: .sinceBoot(end - .seconds(whole)))
        }
    }
}
