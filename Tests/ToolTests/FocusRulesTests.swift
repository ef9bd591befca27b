import GoalLock
import PortcullisCore
import TerminalScreens
import Testing

@testable import portcullis

/// The parts of `focus` that are values.
@Suite("focus: what is decided without a process")
struct FocusRulesTests {
    private func view(
        progress: Double = 5,
        goal: Double = 10,
        reason: GoalStatus.Reason? = nil,
        day: Int = 21
    ) -> FocusView {
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
        let item = FocusView.Item(token: "toy.desktop", label: "Toy 遊戲", isCategory: false, state: .gated)
        return FocusView(status, title: "Steps", items: [item], now: .zero)
    }

    private func trouble(_ reason: ProgressTrouble.Reason, _ message: String = "?") -> ProgressTrouble {
        ProgressTrouble(reason: reason, message: message)
    }

    @Test(
        "A-11: text that is one number",
        arguments: [("7", 7), (" 7.50\r\n", 7.5), ("1e3", 1_000), ("+3", 3), ("0", 0)] as [(String, Double)]
    )
    func numbers(text: String, number: Double) throws {
        #expect(try ProgressNumber.read(Array(text.utf8)) == number)
    }

    @Test(
        "A-11: text that is not",
        arguments: [
            "", " \n", "x", "1 2", "1\n2", "nan", "inf", "-1", "1e999", "0x10", "1,000", "1'000", "1,5", "٣",
        ]
    )
    func noNumbers(text: String) {
        #expect(throws: ProgressTrouble.self) { try ProgressNumber.read(Array(text.utf8)) }
    }

    @Test("A-11: trouble is told once for each reason, and that it is over")
    func trouble() {
        var story = FocusStory(isOnce: false)
        #expect(story.hear(.view(view())).count == 1)
        #expect(story.hear(.view(view())).isEmpty, "nothing new")
        let first = story.hear(.trouble(trouble(.timedOut, "slow")))
        #expect(first.contains(.problem(.progress, "slow")) && first.count == 2)
        #expect(story.hear(.trouble(trouble(.timedOut, "slower"))).isEmpty)
        #expect(story.hear(.trouble(trouble(.failed, "status 1"))).contains(.problem(.progress, "status 1")))
        #expect(story.hear(.read(nil)).contains(.solved(.progress)))
        #expect(story.hear(.read(nil)).isEmpty)
        #expect(story.hear(.failure("disk")) == [.problem(.lock, "disk")])
        #expect(story.hear(.failure("disk")).isEmpty)
        #expect(story.hear(.failure(nil)) == [.solved(.lock)])
    }

    @Test(
        "A-6: when a new day comes, the number of the day before is told to be one, and is no failure to read"
    )
    func newDay() {
        var story = FocusStory(isOnce: false)
        _ = story.hear(.view(view()))
        _ = story.hear(.read(CivilDate(year: 2026, month: 11, day: 21)))
        let messages = story.hear(.view(view(progress: 0, day: 22)))
        #expect(messages.first == .day(CivilDate(year: 2026, month: 11, day: 22)))
        let (before, today) = (
            CivilDate(year: 2026, month: 11, day: 21), CivilDate(year: 2026, month: 11, day: 22)
        )
        #expect(messages.contains(.stale(before, today: today)))
        #expect(!messages.contains { if case .problem = $0 { true } else { false } })
        let next = story.hear(.read(today))
        #expect(next.contains(.current) && !next.contains(.solved(.progress)))
        #expect(story.hear(.read(today)).isEmpty)
        // What goes wrong besides is told as ever.
        _ = story.hear(.view(view(progress: 0, day: 23)))
        #expect(story.hear(.trouble(trouble(.missing, "gone"))).contains(.problem(.progress, "gone")))
        #expect(story.hear(.read(nil)).contains(.solved(.progress)))
    }

    @Test("A-2: that an app was started is told, and not again within seconds")
    func starts() {
        var story = FocusStory(isOnce: false)
        let chess = FocusStart(token: "chess.desktop", label: "Che\u{1B}ss", isDenied: false)
        let chat = FocusStart(token: "chat.desktop", label: "Chat", isDenied: true)
        #expect(story.hear(.started(chess, .seconds(1))).isEmpty, "nothing is known yet")
        _ = story.hear(.view(view(progress: 5_200, goal: 10_000)))
        let told = story.hear(.started(chess, .seconds(10)))
        #expect(told == [.started(chess, view(progress: 5_200, goal: 10_000))])
        #expect(story.hear(.started(chess, .seconds(14))).isEmpty)
        #expect(story.hear(.started(chat, .seconds(14))).count == 1, "another app is another matter")
        #expect(story.hear(.started(chess, .seconds(15))).count == 1)
        _ = story.hear(.view(view(reason: .reached)))
        #expect(story.hear(.started(chess, .seconds(60))).isEmpty, "it is open")

        let now = view(progress: 5_200, goal: 10_000)
        #expect(FocusText.started(chess, now) == "Che\u{FFFD}ss was started and is shut: 4,800 steps to go.")
        #expect(FocusText.started(chat, now) == "Chat cannot be started: 4,800 steps to go.")
        #expect(story.hear(.shieldTrouble("disk", .seconds(70))) == [.problem(.shield, "disk")])
        #expect(story.hear(.shieldTrouble("disk", .seconds(71))).isEmpty)
        #expect(story.hear(.shieldTrouble("disk", .seconds(130))).count == 1)
    }

    @Test("A-9: endings and their statuses; nothing is told afterwards")
    func endings() {
        func ending(_ events: [FocusStory.Event], once: Bool) -> FocusEnding? {
            var story = FocusStory(isOnce: once)
            for event in events { _ = story.hear(event) }
            return story.ending
        }
        #expect(ending([.view(view(reason: .reached))], once: false) == nil)
        #expect(ending([.view(view(reason: .reached))], once: true) == .reached)
        #expect(ending([.view(view(reason: .disabled))], once: false) == .released)
        #expect(ending([.inputEnded, .signal(2)], once: true) == .inputEnded)
        #expect(FocusEnding.released.status(isOnce: false) == 0)
        #expect(FocusEnding.released.status(isOnce: true) == 1)
        #expect(FocusEnding.signal(15).status(isOnce: false) == 143)
    }

    @Test("A-2: the line fits every width, and says the most that fits")
    func widths() {
        for unicode in [true, false] {
            for reason in [nil, GoalStatus.Reason.reached, .nothingSelected] {
                for width in 1...160 {
                    let line = StatusLine(
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
        let wide = StatusLine(width: 120, abilities: TerminalAbilities(colours: false), left: .seconds(3_900))
        #expect(wide.text(view()).hasSuffix("5 / 10  50 %  Toy 遊戲 shut  1 h 5 min left"))
    }

    @Test("A-2: numbers and bars")
    func numbersAsText() {
        #expect(FocusText.number(7_450) == "7,450")
        #expect(FocusText.number(1_234_567.5) == "1,234,567.5")
        #expect(FocusText.number(0.05) == "0.05")
        #expect(FocusText.number(999) == "999")
        #expect(FocusText.percent(99.999, of: 100) == "99 %", "almost is not reached")
        #expect(FocusText.percent(7_450, of: 10) == "74,500 %")
        #expect(FocusText.bar(0.5, cells: 4, unicode: false) == ("##", "--"))
        #expect(FocusText.bar(0.5, cells: 5, unicode: true) == ("██▌", "  "))
        #expect(FocusText.bar(7, cells: 2, unicode: true) == ("██", ""))
    }
}
