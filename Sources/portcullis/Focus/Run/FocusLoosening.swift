internal import GoalLock
internal import PortcullisCore

/// What of a request makes a lock that is on easier: that asks for the passcode, as on the settings' screens.
struct FocusLoosening: Sendable, Hashable {
    /// Each of them, for people: `a lower goal`.
    let changes: [String]

    /// Compares a request with the lock.
    ///
    /// - Parameters:
    ///   - status: the lock.
    ///   - goal: the goal that is asked for.
    ///   - selection: what is to be shut; empty: what was chosen before.
    ///   - dayStart: when days are to start; `nil`: as set before.
    init(of status: GoalStatus, goal: Double, selection: ShieldSelection, dayStart: TimeOfDay?) {
        var changes: [String] = []
        if status.isEnabled {
            if goal < status.goal { changes.append("a lower goal") }
            let keepsAll =
                selection.apps.isSuperset(of: status.selection.apps)
                && selection.categories.isSuperset(of: status.selection.categories)
            if !selection.isEmpty, !keepsAll { changes.append("taking back what was chosen") }
            if let dayStart,
                (dayStart.hour, dayStart.minute) > (status.dayStart.hour, status.dayStart.minute)
            {
                changes.append("a later start of the day")
            }
        }
        self.changes = changes
    }

    var isEmpty: Bool { changes.isEmpty }

    /// All of it in one sentence's part.
    var text: String { changes.joined(separator: " and ") }
}
