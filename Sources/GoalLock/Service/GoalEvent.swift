internal import AdapterKit
public import PortcullisCore

/// An event of the goal lock, for a log, metrics or an audit.
public struct GoalEvent: Sendable, Hashable {
    /// The kinds of events.
    public enum Kind: Sendable, Hashable {
        /// The lock was switched on.
        case enabled
        /// The lock was switched off.
        case disabled
        /// The shield is up: the chosen apps are shut.
        case shielded
        /// The shield is down, for this reason.
        case lifted(GoalStatus.Reason)
        /// Another day began.
        case dayBegan(CivilDate)
        /// Another goal was set, in the host's unit.
        case goalChanged(Double)
        /// Another selection was set. The values are the numbers of chosen apps and chosen categories.
        case selectionChanged(apps: Int, categories: Int)
        /// Another start of days was set.
        case dayStartChanged(TimeOfDay)
        /// The progress cannot be read.
        case progressLost
        /// The progress can be read again.
        case progressFound
        /// A call, or work that the lock did by itself, ended with an error.
        case failed(GoalError.Code)
    }

    /// The moment of the event.
    public var moment: Moment
    /// The kind of the event.
    public var kind: Kind

    /// Makes an event.
    public init(moment: Moment, kind: Kind) { (self.moment, self.kind) = (moment, kind) }
}

extension GoalEvent.Kind {
    /// Returns the events for the changes from the status `old` to the status `new`. If `old` is `nil`, the
    /// only event reports whether the shield is up.
    static func between(_ old: GoalStatus?, _ new: GoalStatus) -> [Self] {
        let shields: [Self] =
            old.map { $0.reason == new.reason } == true ? [] : [new.reason.map { .lifted($0) } ?? .shielded]
        guard let old else { return shields }
        var kinds: [Self] = []
        if new.date != old.date { kinds.append(.dayBegan(new.date)) }
        if new.dayStart != old.dayStart { kinds.append(.dayStartChanged(new.dayStart)) }
        if new.goal != old.goal { kinds.append(.goalChanged(new.goal)) }
        if new.selection != old.selection {
            kinds.append(
                .selectionChanged(apps: new.selection.apps.count, categories: new.selection.categories.count)
            )
        }
        if new.isProgressUnreadable != old.isProgressUnreadable {
            kinds.append(new.isProgressUnreadable ? .progressLost : .progressFound)
        }
        if new.isEnabled != old.isEnabled { kinds.append(new.isEnabled ? .enabled : .disabled) }
        return kinds + shields
    }
}

extension GoalLockService {
    /// Returns a stream of the events from now on. Changes of other processes are included, once this
    /// instance has read them.
    ///
    /// The stream buffers the events, so a slow reader misses none.
    public func events() -> AsyncStream<GoalEvent> { eventStreams.stream() }

    func note(_ kinds: [GoalEvent.Kind]) {
        let moment = backends.clock.now
        eventStreams.send(contentsOf: kinds.map { GoalEvent(moment: moment, kind: $0) })
    }
}
