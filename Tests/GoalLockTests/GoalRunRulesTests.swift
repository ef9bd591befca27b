import GoalLock
import PortcullisCore
import Testing

/// What is told of a run, and when it is over.
@Suite("The rules of a run of the goal lock")
struct GoalRunRulesTests {
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

    private func trouble(_ reason: ProgressTrouble.Reason, _ message: String = "?") -> ProgressTrouble {
        ProgressTrouble(reason: reason, message: message)
    }

    @Test("A-11: trouble is told once for each reason, and that it is over")
    func trouble() {
        var rules = GoalRunRules(isOnce: false)
        _ = rules.take(.read(nil))
        #expect(rules.take(.view(view())).count == 1)
        #expect(rules.take(.view(view())).isEmpty, "nothing new")
        let first = rules.take(.trouble(trouble(.timedOut, "slow")))
        #expect(first.contains(.problem(.progress, "slow")) && first.count == 2)
        #expect(rules.take(.trouble(trouble(.timedOut, "slower"))).isEmpty)
        #expect(rules.take(.trouble(trouble(.failed, "status 1"))).contains(.problem(.progress, "status 1")))
        #expect(rules.take(.read(nil)).contains(.solved(.progress)))
        #expect(rules.take(.read(nil)).isEmpty)
        #expect(rules.take(.failure("disk")) == [.problem(.lock, "disk")])
        #expect(rules.take(.failure("disk")).isEmpty)
        #expect(rules.take(.failure(nil)) == [.solved(.lock)])
    }

    @Test("A-11: the progress is unknown until this run has read it; the number of an earlier run is not it")
    func notReadYet() {
        func known(_ messages: [GoalMessage]) -> [Double?] {
            messages.map {
                if case .status(let view) = $0 { view.isProgressUnknown ? nil : view.progress } else { -1 }
            }
        }
        var rules = GoalRunRules(isOnce: false)
        #expect(known(rules.take(.view(view(progress: 5_000)))) == [nil])
        #expect(rules.take(.trouble(trouble(.line(1), "line 1"))) == [.problem(.progress, "line 1")])
        #expect(rules.take(.trouble(trouble(.missing, "gone"))) == [.problem(.progress, "gone")])
        #expect(rules.take(.read(nil)) == [.solved(.progress)], "the view is older than the reading")
        #expect(known(rules.take(.view(view(progress: 5)))) == [5])
        #expect(known(rules.take(.trouble(trouble(.missing, "gone")))).last == .some(nil))
    }

    @Test(
        "A-6: when a new day comes, the number of the day before is told to be one, and is no failure to read"
    )
    func newDay() {
        var rules = GoalRunRules(isOnce: false)
        _ = rules.take(.view(view()))
        _ = rules.take(.read(CivilDate(year: 2026, month: 11, day: 21)))
        let messages = rules.take(.view(view(progress: 0, day: 22)))
        #expect(messages.first == .day(CivilDate(year: 2026, month: 11, day: 22)))
        let (before, today) = (
            CivilDate(year: 2026, month: 11, day: 21), CivilDate(year: 2026, month: 11, day: 22)
        )
        #expect(messages.contains(.stale(before, today: today)))
        #expect(!messages.contains { if case .problem = $0 { true } else { false } })
        let next = rules.take(.read(today))
        #expect(next.contains(.current) && !next.contains(.solved(.progress)))
        #expect(rules.take(.read(today)).isEmpty)
        // What goes wrong besides is told as ever.
        _ = rules.take(.view(view(progress: 0, day: 23)))
        #expect(rules.take(.trouble(trouble(.missing, "gone"))).contains(.problem(.progress, "gone")))
        #expect(rules.take(.read(nil)).contains(.solved(.progress)))
    }

    @Test("A-2: of one app at most one start of each kind waits to be handled")
    func waitingStarts() {
        let waiting = WaitingStarts()
        for isDenied in [false, true] {
            for app in [AppToken("chess"), AppToken("chat")] {
                #expect(waiting.note(.started(app, isDenied: isDenied)))
                #expect(!waiting.note(.started(app, isDenied: isDenied)))
            }
        }
        #expect(waiting.note(.end(15)) && waiting.note(.end(15)))
        waiting.forget(.started(AppToken("chess"), isDenied: true))
        #expect(waiting.note(.started(AppToken("chess"), isDenied: true)))
        #expect(!waiting.note(.started(AppToken("chess"), isDenied: false)))
    }

    @Test("A-2: that an app was started is told, and not again within seconds")
    func starts() {
        var rules = GoalRunRules(isOnce: false)
        let chess = GoalStart(token: "chess.desktop", label: "Che\u{1B}ss", isDenied: false)
        let chat = GoalStart(token: "chat.desktop", label: "Chat", isDenied: true)
        #expect(rules.take(.started(chess, .seconds(1))).isEmpty, "nothing is known yet")
        _ = rules.take(.read(nil))
        _ = rules.take(.view(view(progress: 5_200, goal: 10_000)))
        let told = rules.take(.started(chess, .seconds(10)))
        #expect(told == [.started(chess, view(progress: 5_200, goal: 10_000))])
        #expect(rules.take(.started(chess, .seconds(14))).isEmpty)
        #expect(rules.take(.started(chat, .seconds(14))).count == 1, "another app is another matter")
        #expect(rules.take(.started(chess, .seconds(15))).count == 1)
        _ = rules.take(.view(view(reason: .reached)))
        #expect(rules.take(.started(chess, .seconds(60))).isEmpty, "it is open")

        #expect(rules.take(.shieldTrouble("disk", .seconds(70))) == [.problem(.shield, "disk")])
        #expect(rules.take(.shieldTrouble("disk", .seconds(71))).isEmpty)
        #expect(rules.take(.shieldTrouble("disk", .seconds(130))).count == 1)
    }

    @Test("A-9: endings and their statuses; nothing is told afterwards")
    func endings() {
        func ending(_ events: [GoalRunRules.Event], once: Bool) -> GoalEnding? {
            var rules = GoalRunRules(isOnce: once)
            for event in events { _ = rules.take(event) }
            return rules.ending
        }
        #expect(ending([.view(view(reason: .reached))], once: false) == nil)
        #expect(ending([.view(view(reason: .reached))], once: true) == .reached)
        let late = GoalRunRules.Event.view(view(reason: .reached), isFollowed: false)
        #expect(ending([late], once: true) == nil, "apps are still shut")
        #expect(ending([late, .view(view(reason: .reached))], once: true) == .reached)
        let off = GoalRunRules.Event.view(view(reason: .disabled))
        #expect(ending([off], once: false) == .released)
        let lateOff = GoalRunRules.Event.view(view(reason: .disabled), isFollowed: false)
        #expect(ending([lateOff], once: false) == nil, "apps are still shut")
        #expect(ending([lateOff, off], once: false) == .released)
        #expect(ending([.inputEnded, .signal(2)], once: true) == .inputEnded)
    }
}
