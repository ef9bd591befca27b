package import GoalLock
internal import PortcullisCore

/// Texts about a goal lock: numbers, times and states in the form that people read.
package enum GoalText: Sendable {
    /// A number with groups of three digits and at most two decimals: `7,450`, `3.5`.
    package static func number(_ value: Double) -> String {
        // A `Double` of 1e15 or more has too few digits for decimals, and is written without grouping.
        guard value.magnitude < 1e15 else { return "\(value)" }
        let hundredths = Int64((value * 100).rounded(.down))
        let whole = String(hundredths / 100)
        var grouped = ""
        for (index, digit) in whole.enumerated() {
            if index > 0, (whole.count - index).isMultiple(of: 3) { grouped += "," }
            grouped.append(digit)
        }
        let rest = Int(hundredths % 100)
        if rest == 0 { return grouped }
        return grouped + "." + (rest % 10 == 0 ? "\(rest / 10)" : (rest < 10 ? "0\(rest)" : "\(rest)"))
    }

    /// The progress in percent of the goal, rounded down, so that 100 appears only when the goal is reached.
    package static func percent(_ progress: Double, of goal: Double) -> String {
        let part = (progress / goal * 100).rounded(.down)
        return part < 100_000 ? "\(number(part)) %" : "> 99,999 %"
    }

    /// A waiting time in its two largest units: `4 h 12 min`, `5 min`, `less than a minute`.
    package static func left(_ duration: Duration) -> String {
        let minutes = max(0, duration.components.seconds) / 60
        if minutes == 0 { return "less than a minute" }
        if minutes < 60 { return "\(minutes) min" }
        return minutes % 60 == 0 ? "\(minutes / 60) h" : "\(minutes / 60) h \(minutes % 60) min"
    }

    /// A progress bar in two parts, which together occupy `cells` cells. The filled part shows the fraction,
    /// from 0 to 1.
    package static func bar(_ fraction: Double, cells: Int, unicode: Bool) -> (filled: String, empty: String)
    {
        let fraction = min(1, max(0, fraction))
        guard unicode else {
            let filled = Int(fraction * Double(cells))
            return (String(repeating: "#", count: filled), String(repeating: "-", count: cells - filled))
        }
        let eighths = Int(fraction * Double(cells * 8))
        let partial = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
        let used = eighths / 8 + (partial.isEmpty ? 0 : 1)
        return (
            String(repeating: "█", count: eighths / 8) + partial,
            String(repeating: " ", count: cells - used)
        )
    }

    /// The message after a shut app was started, or after its start was denied. An example:
    /// `Chess was started and is shut: 4,800 steps to go.`
    package static func started(_ start: GoalStart, _ view: GoalView) -> String {
        let how = start.isDenied ? "cannot be started" : "was started and is shut"
        let title = ForeignText.line(view.title)
        // Inside a sentence an ordinary word begins with a lower-case letter. `kWh` is no ordinary word.
        let isWord = title.dropFirst().allSatisfy { $0.isLowercase || $0 == " " }
        let toGo = "\(number(max(0, view.goal - view.progress))) \(isWord ? title.lowercased() : title) to go"
        return "\(ForeignText.line(start.label)) \(how): \(toGo)."
    }

    /// The shut apps: by name if there are one or two, by number otherwise.
    package static func shut(_ items: [GoalView.Item]) -> String {
        switch items.count {
        case 0: "nothing to shut"
        case 1: "\(ForeignText.line(items[0].label)) shut"
        case 2: "\(ForeignText.line(items[0].label)) and \(ForeignText.line(items[1].label)) shut"
        default: shutCount(items)
        }
    }

    /// The number of shut apps and categories.
    package static func shutCount(_ items: [GoalView.Item]) -> String {
        let apps = items.count { !$0.isCategory }
        let categories = items.count - apps
        var parts: [String] = []
        if apps > 0 { parts.append(apps == 1 ? "1 app" : "\(apps) apps") }
        if categories > 0 { parts.append(categories == 1 ? "1 category" : "\(categories) categories") }
        return parts.isEmpty ? "nothing shut" : parts.joined(separator: ", ") + " shut"
    }

    /// The state in words: the reason why the apps are open, or else the apps that are shut.
    package static func state(_ view: GoalView) -> String {
        switch view.reason {
        case nil: shut(view.shut)
        case .reached: "unlocked"
        case .disabled: "off"
        case .nothingSelected: "no apps chosen"
        case .notEntitled: "not paid for"
        case .some(.notAuthorized): "not allowed to shut apps"
        }
    }
}
