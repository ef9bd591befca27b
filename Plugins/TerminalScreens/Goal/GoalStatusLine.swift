public import GoalLock
internal import PortcullisCore

/// The status line of the goal lock: progress, goal and state, in as much detail as the width allows.
public struct GoalStatusLine: Sendable {
    /// The maximum width in cells.
    public var width: Int
    /// The terminal's abilities.
    public var abilities: TerminalAbilities
    /// The time until the next day begins.
    public var left: Duration
    /// Whether the state and the remaining time are left out, because the screen shows them elsewhere.
    public var isShort: Bool

    /// Creates a status line.
    public init(width: Int, abilities: TerminalAbilities, left: Duration, isShort: Bool = false) {
        self.width = width
        self.abilities = abilities
        self.left = left
        self.isShort = isShort
    }

    private static let narrowestBar = 8
    private static let widestBar = 30

    /// Returns the line, of at most ``width`` cells, with colours if the terminal has them.
    public func text(_ view: GoalView) -> String {
        let numbers = "\(GoalText.number(view.progress)) / \(GoalText.number(view.goal))"
        let percent = GoalText.percent(view.progress, of: view.goal)
        let known = view.isProgressUnknown ? ["progress unknown"] : []
        let state = GoalText.state(view)
        let short = view.reason == nil ? GoalText.shutCount(view.shut) : state
        let time = "\(GoalText.left(left)) left"
        let title = ForeignText.line(view.title)
        // The choices go from the most detailed line to the shortest useful one.
        let choices: [(title: String, parts: [String])] =
            isShort
            ? [(title, [numbers, percent])]
            : [
                (title, [numbers, percent] + known + [state, time]),
                (title, [numbers, percent] + known + [short, time]),
                (title, [numbers, percent] + known + [short]),
                ("", [numbers, percent] + known + [short]),
                ("", [numbers, percent, short]),
                ("", [percent, short]),
            ]
        for choice in choices {
            let rest = choice.parts.joined(separator: "  ")
            let used =
                CellWidth.of(choice.title) + (choice.title.isEmpty ? 0 : 1) + 2 + 2 + CellWidth.of(rest)
            guard used + Self.narrowestBar <= width else { continue }
            let bar = GoalText.bar(
                view.progress / view.goal,
                cells: min(Self.widestBar, width - used),
                unicode: abilities.unicode
            )
            return (choice.title.isEmpty ? "" : choice.title + " ") + drawn(bar) + "  " + rest
        }
        return CellWidth.cut(
            isShort ? "\(numbers)  \(percent)" : "\(percent) \(short)",
            to: width,
            ellipsis: abilities.unicode ? "…" : "~"
        )
    }

    private func drawn(_ bar: (filled: String, empty: String)) -> String {
        let (left, right) = abilities.unicode ? ("▕", "▏") : ("[", "]")
        guard abilities.colours else { return left + bar.filled + bar.empty + right }
        return "\(left)\u{1B}[32m\(bar.filled)\u{1B}[39m\(bar.empty)\(right)"
    }
}
