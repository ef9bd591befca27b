import GoalLock
import PortcullisCore
import TerminalScreens
import Testing

/// How far a person got, in a line of a terminal.
@Suite("The line of the goal lock")
struct GoalStatusLineTests {
    private func view(
        progress: Double = 5,
        goal: Double = 10,
        reason: GoalStatus.Reason? = nil,
        day: Int = 21
    ) -> GoalView {
        let status = GoalStatus(
            isEnabled: reason != .disabled,
            isEntitled: true,
            reason: reason,
            selection: ShieldSelection(apps: [AppToken("toy.desktop")]),
            progress: progress,
            goal: goal,
            dayStart: TimeOfDay(hour: 0, minute: 0)!,
            date: CivilDate(year: 2026, month: 11, day: day),
            untilNextDay: .seconds(3_900)
        )
        let item = GoalView.Item(token: "toy.desktop", label: "Toy 遊戲", isCategory: false, state: .gated)
        return GoalView(status, title: "Steps", items: [item], now: .zero)
    }

    @Test("A-2: that an app was started, in words")
    func starts() {
        let chess = GoalStart(token: "chess.desktop", label: "Che\u{1B}ss", isDenied: false)
        let chat = GoalStart(token: "chat.desktop", label: "Chat", isDenied: true)
        let now = view(progress: 5_200, goal: 10_000)
        #expect(GoalText.started(chess, now) == "Che\u{FFFD}ss was started and is shut: 4,800 steps to go.")
        #expect(GoalText.started(chat, now) == "Chat cannot be started: 4,800 steps to go.")
    }

    @Test("A-2: the line fits every width, and says the most that fits")
    func widths() {
        for unicode in [true, false] {
            for reason in [nil, GoalStatus.Reason.reached, .nothingSelected] {
                for width in 1...160 {
                    let line = GoalStatusLine(
                        width: width,
                        abilities: TerminalAbilities(colours: false, unicode: unicode),
                        left: .seconds(3_900)
                    )
                    let text = line.text(view(progress: 7_450, goal: 10_000, reason: reason))
                    #expect(CellWidth.of(text) <= width, "\(width): \(text)")
                    #expect(unicode || text.replacing("Toy 遊戲", with: "").allSatisfy(\.isASCII))
                }
            }
        }
        let wide = GoalStatusLine(
            width: 120,
            abilities: TerminalAbilities(colours: false),
            left: .seconds(3_900)
        )
        #expect(wide.text(view()).hasSuffix("5 / 10  50 %  Toy 遊戲 shut  1 h 5 min left"))
    }

    @Test("A-2: numbers and bars")
    func numbersAsText() {
        #expect(GoalText.number(7_450) == "7,450")
        #expect(GoalText.number(1_234_567.5) == "1,234,567.5")
        #expect(GoalText.number(0.05) == "0.05")
        #expect(GoalText.number(999) == "999")
        #expect(GoalText.percent(99.999, of: 100) == "99 %", "almost is not reached")
        #expect(GoalText.percent(7_450, of: 10) == "74,500 %")
        #expect(GoalText.bar(0.5, cells: 4, unicode: false) == ("##", "--"))
        #expect(GoalText.bar(0.5, cells: 5, unicode: true) == ("██▌", "  "))
        #expect(GoalText.bar(7, cells: 2, unicode: true) == ("██", ""))
    }
}
