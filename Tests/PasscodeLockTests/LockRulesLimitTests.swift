import PasscodeLock
import PortcullisCore
import Testing

@Suite("When nothing is to be waited for, and what counts a lock's generations (P-14, P-23)")
struct LockRulesLimitTests {
    private typealias Arming = LockRules.Arming

    private func launched(_ arming: Arming?, idle: Duration? = .seconds(600)) -> LockRules {
        var rules = LockRules(launch: .resume, idleTimeout: idle)
        _ = rules.handle(.launched(arming), at: .start)
        return rules
    }

    private func isWaiting(_ effects: [LockRules.Effect]) -> Bool {
        effects.contains { if case .checkIdle = $0 { true } else { false } }
    }

    @Test("P-23: idle time is waited for where a lock is open, not in the background, armed and not dormant")
    func idle() {
        var open = launched(Arming(timeout: .never))
        #expect(isWaiting(open.handle(.activity, at: .start + 1)))
        #expect(isWaiting(open.handle(.phase(.inactive), at: .start + 2)))
        #expect(!isWaiting(open.handle(.phase(.background), at: .start + 3)))
        #expect(isWaiting(open.handle(.phase(.active), at: .start + 4)))
        #expect(!isWaiting(open.handle(.lock, at: .start + 5)))
        var dormant = launched(Arming(timeout: .never, isDormant: true))
        #expect(!isWaiting(dormant.handle(.activity, at: .start + 1)))
        var unarmed = launched(nil)
        #expect(!isWaiting(unarmed.handle(.activity, at: .start + 1)))
        var unlimited = launched(Arming(timeout: .never), idle: nil)
        #expect(!isWaiting(unlimited.handle(.activity, at: .start + 1)))
    }

    @Test("P-23: the idle time ends at its last instant, whether a timer or a key tells of it")
    func idleEnds() {
        for event in [LockRules.Event.activity, .idleCheck] {
            var early = launched(Arming(timeout: .never))
            _ = early.handle(event, at: Moment.start.advanced(by: .milliseconds(599_999)))
            #expect(!early.state.isLocked)
            var due = launched(Arming(timeout: .never))
            _ = due.handle(event, at: .start + 600)
            #expect(due.state.isLocked)
        }
    }

    @Test("P-14: each lock, unlock, absence and sign-out begins the next generation")
    func generations() {
        var rules = launched(Arming(timeout: .never))
        #expect(rules.state.generation == 0)
        _ = rules.handle(.lock, at: .start)
        #expect(rules.state.generation == 1)
        _ = rules.handle(.unlock(generation: 1), at: .start)
        #expect(rules.state.generation == 2)
        _ = rules.handle(.phase(.background), at: .start)
        #expect(rules.state.generation == 3)
        _ = rules.handle(.phase(.active), at: .start)
        #expect(rules.state.generation == 3)
        _ = rules.handle(.signOutBegan, at: .start)
        #expect(rules.state.generation == 4)
    }

    @Test("P-20: an absence while the app started, without a passcode, is over with the start")
    func absenceWithoutPasscode() {
        var rules = LockRules(launch: .resume, idleTimeout: nil)
        _ = rules.handle(.phase(.background), at: .start)
        _ = rules.handle(.phase(.active), at: .start + 60)
        _ = rules.handle(.launched(nil), at: .start + 61)
        _ = rules.handle(.armed(Arming(timeout: .devicePreset)), at: .start + 62)
        #expect(!rules.state.isLocked)
    }

    @Test("P-21: the presets are five seconds and fifteen minutes")
    func presets() {
        #expect(LockTimeout.devicePreset == .after(.seconds(5)))
        #expect(LockTimeout.accountPreset == .after(.seconds(900)))
    }

    @Test("P-24: before and after its time a transition stands still")
    func transition() {
        for progress in [-1, -0.01, 0] { #expect(CoverTransition.standard.opacity(at: progress) == 0) }
        for progress in [1, 1.01, 2] { #expect(CoverTransition.standard.opacity(at: progress) == 1) }
    }

    @Test("P-7: time served is noted from a minute on, and not once the delay is over")
    func notes() {
        var throttle = Throttle()
        for _ in 0..<5 { throttle.count(at: .start, under: .escalating) }
        for (seconds, isWanted) in [(-60, false), (-61, true)] {
            #expect(throttle.wantsNote(at: .start + seconds, by: .server) == isWanted)
        }
        throttle.note(at: .start + 60, by: .device)
        #expect(!throttle.wantsNote(at: .start + 3_600, by: .device))
        #expect(!throttle.wantsNote(at: Moment.start.rebooted(after: .zero), by: .device))
    }

    @Test("P-7: a policy keeps the limit it is made with")
    func limit() {
        let limit = ThrottlePolicy.escalating.afterFailures(3, .erase).limit
        #expect(ThrottlePolicy(delays: [], limit: limit).action(afterFailures: 3) == .erase)
        #expect(ThrottlePolicy.escalating.measured(by: .server).authority == .server)
    }

    @Test("P-7: a delay below zero and a limit of no failures are mistakes of the program")
    func impossiblePolicies() async {
        await #expect(processExitsWith: .failure) { _ = ThrottlePolicy(delays: [.seconds(-1)]) }
        await #expect(processExitsWith: .failure) {
            _ = ThrottlePolicy.escalating.afterFailures(0, .signOut)
        }
    }
}
