/// Days as bars, with a line at the goal.
struct WeekPlot {
    struct Day {
        var label: String
        var steps: Double
    }

    /// The characters that bars are made of.
    enum Style: String, CaseIterable {
        case unicode, ascii
    }

    private static let width = 32

    var days: [Day]
    var goal: Double
    var style: Style

    var lines: [String] {
        let most = days.reduce(goal) { max($0, $1.steps) }
        let goalColumn = Int((goal / most * Double(Self.width)).rounded(.down))
        let numberWidth = days.map { Self.number($0.steps).count }.max() ?? 0
        return days.map { day in
            var cells = Array(bar(eighths: Int((day.steps / most * Double(Self.width * 8)).rounded(.down))))
            cells += Array(repeating: " ", count: Self.width + 1 - cells.count)
            if cells[goalColumn] == " " { cells[goalColumn] = style == .unicode ? "│" : "|" }
            let number = Self.number(day.steps)
            let padding = String(repeating: " ", count: numberWidth - number.count)
            let mark = day.steps >= goal ? "  reached" : ""
            return "\(day.label)  \(String(cells))  \(padding)\(number)\(mark)"
        }
    }

    private func bar(eighths: Int) -> String {
        switch style {
        case .ascii: return String(repeating: "#", count: eighths / 8)
        case .unicode:
            let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
            return String(repeating: "█", count: eighths / 8) + rest
        }
    }

    /// Formats steps as a whole number, rounded down. Parts of a step are estimates, and nine tenths reach no
    /// goal.
    static func number(_ steps: Double) -> String { String(Int(min(steps, 1e15).rounded(.down))) }
}
