public import GoalLock
public import Logging
public import Metrics
public import PasscodeLock
internal import PortcullisCore

/// Writes the events of a passcode and of a goal lock into a log, and counts them.
///
/// The log and the counters hold no secret, because the events have none.
public struct AuditTrail: Sendable {
    private let logger: Logger
    private let metrics: any MetricsFactory

    /// Makes a trail.
    ///
    /// - Parameters:
    ///   - logger: takes a line for each event, with the event's details as metadata.
    ///   - metrics: takes the counters `passcode_events` and `goal_events`, with the event's name as a
    ///     dimension.
    public init(logger: Logger, metrics: any MetricsFactory = MetricsSystem.factory) {
        (self.logger, self.metrics) = (logger, metrics)
    }

    /// Follows a passcode until the stream ends.
    public func follow(_ events: AsyncStream<PasscodeEvent>) async {
        for await event in events { note(event) }
    }

    /// Follows a goal lock until the stream ends.
    public func follow(_ events: AsyncStream<GoalEvent>) async {
        for await event in events { note(event) }
    }

    private func note(_ event: PasscodeEvent) {
        let entry = event.kind.entry
        let place: Logger.Metadata = [
            "user": "\(event.user)", "at": "\(event.moment.wall.components.seconds)",
        ]
        logger.log(
            level: entry.level,
            "\(entry.name)",
            metadata: entry.details.merging(place) { detail, _ in detail }
        )
        Counter(label: "passcode_events", dimensions: [("event", entry.name)], factory: metrics).increment()
    }

    private func note(_ event: GoalEvent) {
        let entry = event.kind.entry
        let place: Logger.Metadata = ["at": "\(event.moment.wall.components.seconds)"]
        logger.log(
            level: entry.level,
            "\(entry.name)",
            metadata: entry.details.merging(place) { detail, _ in detail }
        )
        Counter(label: "goal_events", dimensions: [("event", entry.name)], factory: metrics).increment()
    }
}
