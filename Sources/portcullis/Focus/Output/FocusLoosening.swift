internal import GoalLock

extension GoalLoosening {
    /// The changes as a part of a sentence: `a lower goal and taking back what was chosen`.
    var text: String {
        changes.map { change in
            switch change {
            case .off: "switching App Lock off"
            case .lowerGoal: "a lower goal"
            case .smallerSelection: "taking back what was chosen"
            case .otherDayStart: "another start of the day"
            }
        }.joined(separator: " and ")
    }
}
