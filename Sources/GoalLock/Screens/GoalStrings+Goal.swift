internal import PortcullisCore

extension GoalStrings {
    /// Makes English texts for a goal other than steps.
    ///
    /// - Parameter goal: the goal's name, such as "Pages".
    public static func english(goal: String) -> GoalStrings {
        var strings = GoalStrings.english
        strings.introductionText = """
            Take control of your screen time. Keep apps shut until you reach your daily goal and stay focused on \
            what matters most.
            """
        let goal = ForeignText.line(goal)
        strings.note = { dayStart in
            "Selected apps will be blocked until you reach your daily goal (\(goal)). Shields reset at \(dayStart)."
        }
        strings.walk = "Reach Your Goal to Unlock"
        return strings
    }
}
