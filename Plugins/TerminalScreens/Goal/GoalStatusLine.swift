public import GoalLock
internal import PortcullisCore

/// The line that tells how far the person got with the goal lock, as wide as there is space for.
public struct GoalStatusLine: Sendable {
    /// Cells that may be used.
    public var width: Int
    /// What the terminal can show.
    public var abilities: TerminalAbilities
    /// Time until the next day begins.
    public var left: Duration
    /// Whether only the numbers are wanted, because the rest is told elsewhere.
    public var isShort: Bool

    /// A line of this width.
    public init(width: Int, abilities: TerminalAbilities, left: Duration, isShort: Bool = false) {
        self.width = width
        self.abilities = abilities
        self.left = left
        self.isShort = isShort
    }

    private static let narrowestBar = 8
    private static let widestBar = 30

    /// The line, of at most ``width`` cells, with colours where they are wanted.
    public func text(_ view: GoalView) -> String {
        let numbers = "\(GoalText.number(view.progress)) / \(GoalText.number(view.goal))"
        let percent = GoalText.percent(view.progress, of: view.goal)
        let known = view.isProgressUnknown ? ["progress unknown"] : []
        let state = GoalText.state(view)
        let short = view.reason == nil ? GoalText.shutCount(view.shut) : state
        let time = "\(GoalText.left(left)) left"
        let title = ForeignText.line(view.title)
        // From all there is to the least that makes sense.
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
