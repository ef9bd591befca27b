package import GoalLock
internal import PortcullisCore

/// Describes a goal lock to a person in lines of text: the day, the progress, the shut apps, and how each
/// of them is shut.
package struct GoalSummary: Sendable {
    /// The lock; `nil` if it was never set.
    package var view: GoalView?
    /// The time until the day ends.
    package var left: Duration
    /// The number of processes that are stopped now.
    package var stopped: Int
    /// A sentence that says whether a process watches the lock.
    package var watch: String
    /// The time of the last release by force, and the user who released the lock; `nil` if there was none.
    package var forced: (time: String, user: UInt32)?

    package init(
        view: GoalView?,
        left: Duration,
        stopped: Int,
        watch: String,
        forced: (time: String, user: UInt32)?
    ) {
        self.view = view
        self.left = left
        self.stopped = stopped
        self.watch = watch
        self.forced = forced
    }

    /// The lines, for a terminal that is `width` cells wide.
    package func lines(width: Int, abilities: TerminalAbilities) -> [String] {
        guard let view else { return ["App Lock is off: it was never set."] + forcedLines }
        guard view.reason != .disabled else { return ["App Lock is off."] + stoppedLines + forcedLines }
        var lines = ["App Lock is on. \(view.date) lasts \(GoalText.left(left)) more."]
        var line = GoalStatusLine(width: width, abilities: abilities, left: left)
        line.isShort = true
        lines.append(line.text(view))
        switch view.reason {
        case nil: lines.append("Shut until the goal is reached:")
        case .reached: lines.append("Unlocked: the goal was reached.")
        default: lines.append("Open: \(GoalText.state(view)).")
        }
        if view.reason == nil {
            let rows = view.items.map { item in
                [ForeignText.line(item.label), Self.words(item), ForeignText.line(item.token)]
            }
            let table = TextTable(header: ["App or category", "How", "Token"], rows: rows)
            lines += table.lines(width: width - 2, ellipsis: abilities.unicode ? "…" : "~").map { "  \($0)" }
        }
        lines += stoppedLines
        lines += CellWidth.wrap(watch, to: width)
        return lines + forcedLines.flatMap { CellWidth.wrap($0, to: width) }
    }

    private var stoppedLines: [String] {
        switch stopped {
        case 0: []
        case 1: ["1 process is stopped."]
        default: ["\(stopped) processes are stopped."]
        }
    }

    private var forcedLines: [String] {
        forced.map { ["Last released by force: \($0.time), by user \($0.user)."] } ?? []
    }

    private static func words(_ item: GoalView.Item) -> String {
        switch item.state {
        case .gated: "gated"
        case .reactive: "reactive"
        case .unresolved, nil: "unresolved"
        case .refused(let reason): "refused: \(ForeignText.line(reason))"
        }
    }
}
