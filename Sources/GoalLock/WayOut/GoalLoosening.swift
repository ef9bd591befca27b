public import PortcullisCore

/// A change of the goal lock's settings that a person asks for. A member that is `nil` leaves its setting as
/// it is.
public struct GoalRequest: Sendable, Hashable {
    /// Whether the lock is to be switched off.
    public var switchesOff: Bool
    /// The goal, in the host's unit.
    public var goal: Double?
    /// The apps and categories to shut.
    public var selection: ShieldSelection?
    /// The time at which days should start.
    public var dayStart: TimeOfDay?

    /// Makes a request.
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

/// The changes of a request that loosen the goal lock. A host asks for the passcode before these changes,
/// with ``GoalGate``.
///
/// Only a lock that is on, or whose state cannot be read, can be loosened.
public struct GoalLoosening: Sendable, Hashable {
    /// A change that loosens the lock.
    public enum Change: Sendable, Hashable, CaseIterable {
        /// The lock is switched off.
        case off
        /// The goal is lower.
        case lowerGoal
        /// A chosen app or category is no longer chosen.
        case smallerSelection
        /// Days start later, so unlocked apps stay open longer. Or days start earlier, so that progress that
        /// counted for one day may count for the next one, too.
        case otherDayStart
    }

    /// The changes that loosen the lock, in the order of ``Change``.
    public let changes: [Change]

    /// Whether the request loosens nothing.
    public var isEmpty: Bool { changes.isEmpty }

    /// Finds the changes in a request that loosen the lock.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - status: the lock's status; `nil` if the status cannot be read. In this case every requested change
    ///     counts as a change that loosens the lock.
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
        case .otherDayStart: dayStart != nil
        }
    }

    fileprivate func makes(_ change: GoalLoosening.Change, from status: GoalStatus) -> Bool {
        switch change {
        case .off:
            return switchesOff
        case .lowerGoal:
            // A goal that is not a number counts as lower here. A later check refuses it.
            return goal.map { !($0 >= status.goal) } ?? false
        case .smallerSelection:
            guard let selection else { return false }
            return !selection.apps.isSuperset(of: status.selection.apps)
                || !selection.categories.isSuperset(of: status.selection.categories)
        case .otherDayStart:
            return dayStart.map { $0 != status.dayStart } ?? false
        }
    }
}
