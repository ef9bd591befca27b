internal import AdapterKit
public import PortcullisCore

/// Something that happened to the goal lock, for a log, metrics or an audit.
public struct GoalEvent: Sendable, Hashable {
    /// What happened.
    public enum Kind: Sendable, Hashable {
        /// The lock was switched on.
        case enabled
        /// The lock was switched off.
        case disabled
        /// Shields are up: the chosen apps are shut.
        case shielded
        /// Shields are down, and why.
        case lifted(GoalStatus.Reason)
        /// Another day began.
        case dayBegan(CivilDate)
        /// There is another goal, in the host's unit.
        case goalChanged(Double)
        /// Another number of apps and categories, or others, are chosen.
        case selectionChanged(apps: Int, categories: Int)
        /// Days start at another time.
        case dayStartChanged(TimeOfDay)
        /// The progress cannot be read.
        case progressLost
        /// The progress can be read again.
        case progressFound
        /// Something that the lock was asked, or had to do by itself, ended with an error.
        case failed(GoalError.Code)
    }

    /// When it happened.
    public var moment: Moment
    /// What happened.
    public var kind: Kind

    /// An event of these parts.
    public init(moment: Moment, kind: Kind) { (self.moment, self.kind) = (moment, kind) }
}

extension GoalEvent.Kind {
    /// What happened between two statuses; of the first status, only whether shields are up.
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
    /// What happens from now on, as this instance comes to know it: also what other processes changed, once it has looked.
    ///
    /// The stream holds what is not taken yet: an observer that is slow misses nothing.
    public func events() -> AsyncStream<GoalEvent> { eventStreams.stream() }

    func note(_ kinds: [GoalEvent.Kind]) {
        let moment = backends.clock.now
        eventStreams.send(contentsOf: kinds.map { GoalEvent(moment: moment, kind: $0) })
    }
}
