internal import GoalLock
internal import PortcullisCore
internal import TerminalScreens

/// The line that tells how far the person got, as wide as there is room for.
struct StatusLine {
    /// Cells that may be used.
    var width: Int
    var abilities: TerminalAbilities
    /// Time until the next day begins.
    var left: Duration
    /// Whether only the numbers are wanted, because the rest is told elsewhere.
    var isShort = false

    private static let narrowestBar = 8
    private static let widestBar = 30

    /// The line, of at most ``width`` cells, with colours where they are wanted.
    func text(_ view: GoalView) -> String {
        let numbers = "\(FocusText.number(view.progress)) / \(FocusText.number(view.goal))"
        let percent = FocusText.percent(view.progress, of: view.goal)
        let known = view.isProgressUnknown ? ["progress unknown"] : []
        let state = FocusText.state(view)
        let short = view.reason == nil ? FocusText.shutCount(view.shut) : state
        let time = "\(FocusText.left(left)) left"
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
            let bar = FocusText.bar(
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
