import GoalLock
import PortcullisCore
import Testing

@Suite("Rules of the goal (A-2 … A-9)", .timeLimit(.minutes(5)))
struct GoalRulesTests {
    @Test(
        "A-2: shields are up when enabled, authorised, entitled, something is chosen, and today is not granted"
    )
    func conditions() {
        for mask in 0..<32 {
            let isMet = (0..<5).map { mask & (1 << $0) != 0 }
            var bench = RulesBench()
            if isMet[0] { bench.take(.enable(title: "Steps")) }
            bench.circumstances.isEntitled = isMet[1]
            bench.circumstances.authorization = isMet[2] ? .approved : .denied(howToAllow: "In Settings")
            if isMet[3] { bench.take(.selection(RulesBench.selection)) }
            if !isMet[4] { bench.progress(100) }
            bench.take(.look)
            #expect(bench.isUp == isMet.allSatisfy(\.self), "\(isMet)")
            #expect(bench.isDown == !isMet.allSatisfy(\.self), "\(isMet)")
        }
    }

    @Test("A-2: the reason tells what is missing, the first of several")
    func reasons() {
        var bench = RulesBench()
        bench.circumstances = .init(isEntitled: false, authorization: .notDetermined)
        func reason(_ bench: RulesBench) -> GoalStatus.Reason? {
            bench.record.reasonToLift(on: .january(1), in: bench.circumstances)
        }
        #expect(reason(bench) == .disabled)
        bench.take(.enable(title: "Steps"))
        #expect(reason(bench) == .notEntitled)
        bench.circumstances.isEntitled = true
        #expect(reason(bench) == .notAuthorized(howToAllow: nil))
        bench.circumstances.authorization = .denied(howToAllow: "In Settings")
        #expect(reason(bench) == .notAuthorized(howToAllow: "In Settings"))
        bench.circumstances.authorization = .approved
        #expect(reason(bench) == .nothingSelected)
        bench.take(.selection(RulesBench.selection))
        #expect(reason(bench) == nil)
        bench.progress(100)
        #expect(reason(bench) == .reached)
    }

    @Test("A-2: another selection replaces what is shielded at once")
    func selection() {
        var bench = RulesBench.enabled()
        let other = ShieldSelection(apps: [AppToken("video")])
        bench.take(.selection(other))
        #expect(bench.effects.first == .apply(other))
        bench.take(.selection(ShieldSelection()))
        #expect(bench.isDown)
    }

    @Test("A-3: reaching the goal lifts shields and notifies, once")
    func reached() {
        var bench = RulesBench.enabled()
        bench.progress(99.5)
        #expect(bench.isUp && bench.notified.isEmpty)
        bench.progress(100)
        #expect(bench.isDown && bench.notified == [.january(1)])
        #expect(bench.effects.first == .lift, "shields are down before the person is told")
        bench.progress(250)
        bench.take(.look)
        #expect(bench.isDown && bench.notified == [.january(1)])
    }

    @Test("A-3: nobody is told of unlocked apps that were not locked")
    func nothingToTell() {
        var bench = RulesBench.enabled()
        bench.circumstances.isEntitled = false
        bench.progress(100)
        bench.circumstances.isEntitled = true
        bench.progress(120)
        #expect(bench.isDown && bench.notified.isEmpty)

        var off = RulesBench()
        off.take(.selection(RulesBench.selection))
        off.progress(100)
        #expect(off.notified.isEmpty)
    }

    @Test("A-3: enabling with the goal reached before unlocks at once")
    func reachedBefore() {
        var bench = RulesBench()
        bench.take(.selection(RulesBench.selection))
        bench.progress(100)
        bench.take(.enable(title: "Steps"))
        #expect(bench.isDown && bench.notified == [.january(1)])
    }

    @Test(
        "A-4: a goal lowered to or below progress unlocks; raised after that it does not lock again that day"
    )
    func goal() {
        var bench = RulesBench.enabled()
        bench.progress(60)
        bench.take(.goal(61))
        #expect(bench.isUp)
        bench.take(.goal(60))
        #expect(bench.isDown && bench.notified == [.january(1)])
        bench.take(.goal(500))
        #expect(bench.isDown)
        bench.wait(.days(1))
        bench.progress(499)
        #expect(bench.isUp)
    }

    @Test("A-4: progress that goes down does not lock again")
    func correction() {
        var bench = RulesBench.enabled()
        bench.progress(100)
        bench.progress(3)
        #expect(bench.isDown && bench.record.progress == 3)
    }

    @Test("A-4: goals and progress that are no such numbers are told from those that are")
    func numbers() {
        for goal in [0, -1, .nan, .infinity, -.infinity, -0.0] { #expect(!GoalRules.isValid(goal: goal)) }
        for goal in [0.1, 1, 10_000, 1e300] { #expect(GoalRules.isValid(goal: goal)) }
        for progress in [-1, .nan, .infinity] { #expect(!GoalRules.isValid(progress: progress)) }
        for progress in [0, 0.5, 1e300] { #expect(GoalRules.isValid(progress: progress)) }
    }

    @Test("A-5: at the day's start progress starts anew and shields go up")
    func nextDay() {
        var bench = RulesBench.enabled()
        bench.progress(100)
        bench.wait(.hours(12) - .seconds(1))
        bench.take(.look)
        #expect(bench.isDown && bench.record.progress == 100)
        bench.wait(.seconds(1))
        bench.take(.look)
        #expect(bench.isUp && bench.record.progress == 0 && bench.today == .january(2))
    }

    @Test("A-5: the activity lasts from the day's start to the minute before the next")
    func schedule() throws {
        let bench = RulesBench.enabled()
        let midnight = GoalRules.schedule(from: bench.record.dayStart)
        #expect((midnight.start.hour, midnight.start.minute) == (0, 0))
        #expect((midnight.end.hour, midnight.end.minute) == (23, 59) && midnight.repeats)
        let four = GoalRules.schedule(from: try #require(TimeOfDay(hour: 4, minute: 0)))
        #expect((four.start.hour, four.end.hour, four.end.minute) == (4, 3, 59))
        #expect(bench.effects.contains(.startActivity(midnight)))
    }

    @Test("A-5: with an own day start the night belongs to the day before")
    func dayStart() throws {
        var bench = RulesBench.enabled()
        bench.take(.dayStart(try #require(TimeOfDay(hour: 4, minute: 0))))
        bench.progress(100)
        bench.wait(.hours(16) - .seconds(1))
        bench.take(.look)
        #expect(bench.isDown && bench.today == .january(1))
        bench.wait(.seconds(1))
        bench.take(.look)
        #expect(bench.isUp && bench.today == .january(2))
    }

    @Test("A-5: a day starts at 06:00 at the latest")
    func latestDayStart() throws {
        #expect(GoalRules.isValid(dayStart: try #require(TimeOfDay(hour: 6, minute: 0))))
        #expect(!GoalRules.isValid(dayStart: try #require(TimeOfDay(hour: 6, minute: 1))))
    }

    @Test("A-7: losing the entitlement lifts shields and ends monitoring; getting it back brings both")
    func entitlement() {
        var bench = RulesBench.enabled()
        bench.circumstances.isEntitled = false
        bench.take(.look)
        #expect(bench.isDown && !bench.isMonitored && bench.record.isEnabled)
        bench.circumstances.isEntitled = true
        bench.take(.look)
        #expect(bench.isUp && bench.isMonitored)
    }

    @Test("A-8: a revoked authorization lifts shields")
    func authorization() {
        var bench = RulesBench.enabled()
        bench.circumstances.authorization = .denied(howToAllow: "In Settings")
        bench.take(.look)
        #expect(bench.isDown)
        bench.circumstances.authorization = .approved
        bench.take(.look)
        #expect(bench.isUp)
    }

    @Test("A-9: disabling lifts, ends monitoring, clears today's unlock and keeps what is chosen")
    func disable() {
        var bench = RulesBench.enabled()
        bench.progress(100)
        bench.take(.disable)
        #expect(bench.isDown && !bench.isMonitored)
        #expect(bench.record.selection == RulesBench.selection)
        #expect(!bench.record.granted.contains(.january(1)))
        bench.take(.goal(200))
        bench.take(.enable(title: "Steps"))
        #expect(bench.isUp, "today's unlock was cleared")
    }

    @Test("A-6: granting a date again after disable and enable notifies nobody again")
    func sameGrant() {
        var bench = RulesBench.enabled()
        bench.progress(100)
        for _ in 0..<3 {
            bench.take(.disable)
            bench.take(.enable(title: "Steps"))
            bench.progress(110)
            #expect(bench.isDown)
        }
        #expect(bench.notified == [.january(1)])
    }
}
