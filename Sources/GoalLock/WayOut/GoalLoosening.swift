public import PortcullisCore

/// What a person asks of the goal lock's settings; what is `nil` stays as it is.
public struct GoalRequest: Sendable, Hashable {
    /// Whether the lock is to be switched off.
    public var switchesOff: Bool
    /// The goal, in the host's unit.
    public var goal: Double?
    /// What is to be shut.
    public var selection: ShieldSelection?
    /// When days are to start.
    public var dayStart: TimeOfDay?

    /// A request of these parts.
    public init(
        switchesOff: Bool = false,
        goal: Double? = nil,
        selection: ShieldSelection? = nil,
        dayStart: TimeOfDay? = nil
    ) {
        self.switchesOff = switchesOff
        self.goal = goal
        self.selection = selection
        self.dayStart = dayStart
    }
}

/// What of a request makes the goal lock easier. A host asks for the passcode before that: ``GoalGate``.
///
/// Only a lock that is on, or whose state cannot be read, can be loosened.
public struct GoalLoosening: Sendable, Hashable {
    /// A change that makes the lock easier.
    public enum Change: Sendable, Hashable, CaseIterable {
        /// The lock is switched off.
        case off
        /// The goal is lower.
        case lowerGoal
        /// An app or a category that is shut is chosen no more.
        case smallerSelection
        /// Days start later, and so does the next lock.
        case laterDayStart
    }

    /// Each of the changes, in the order of ``Change``.
    public let changes: [Change]

    /// Whether nothing becomes easier.
    public var isEmpty: Bool { changes.isEmpty }

    /// Compares a request with the lock.
    ///
    /// - Parameters:
    ///   - request: what is asked for.
    ///   - status: the lock as it is; `nil`: it cannot be read, and every change counts as one that loosens.
    public init(of request: GoalRequest, from status: GoalStatus?) {
        changes = Change.allCases.filter { change in
            guard let status else { return request.asks(for: change) }
            return status.isEnabled && request.makes(change, from: status)
        }
    }
}

extension GoalRequest {
    fileprivate func asks(for change: GoalLoosening.Change) -> Bool {
        switch change {
        case .off: switchesOff
        case .lowerGoal: goal != nil
        case .smallerSelection: selection != nil
        case .laterDayStart: dayStart != nil
        }
    }

    fileprivate func makes(_ change: GoalLoosening.Change, from status: GoalStatus) -> Bool {
        switch change {
        case .off:
            return switchesOff
        case .lowerGoal:
            // A goal that is no number is refused later, and loosens until then.
            return goal.map { !($0 >= status.goal) } ?? false
        case .smallerSelection:
            guard let selection else { return false }
            return !selection.apps.isSuperset(of: status.selection.apps)
                || !selection.categories.isSuperset(of: status.selection.categories)
        case .laterDayStart:
            return dayStart.map { $0.minutes > status.dayStart.minutes } ?? false
        }
    }
}
