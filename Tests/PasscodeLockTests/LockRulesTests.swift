import PasscodeLock
import PortcullisCore
import Testing

@Suite("When the app locks (P-20 … P-25)")
struct LockRulesTests {
    typealias Arming = LockRules.Arming

    private func launched(
        _ arming: Arming? = Arming(timeout: .devicePreset),
        launch: PasscodeConfiguration.LaunchPolicy = .resume,
        idle: Duration? = nil,
        at moment: Moment = .start
    ) -> LockRules {
        var rules = LockRules(launch: launch, idleTimeout: idle)
        _ = rules.handle(.launched(arming), at: moment)
        return rules
    }

    /// Leaves at `start`, returns after `seconds`, and says whether that locked.
    private func locks(_ timeout: LockTimeout, after seconds: Double) -> Bool {
        var rules = launched(Arming(timeout: timeout))
        _ = rules.handle(.phase(.background), at: .start)
        _ = rules.handle(.phase(.active), at: .start.advanced(by: .seconds(seconds)))
        return rules.state.isLocked
    }

    @Test("P-20, P-21: away for at least the timeout locks; exactly the timeout counts")
    func timeouts() {
        #expect(!locks(.after(.seconds(5)), after: 4.999))
        #expect(locks(.after(.seconds(5)), after: 5))
        #expect(locks(.after(.seconds(5)), after: 10))
        #expect(locks(.immediately, after: 0))
        #expect(!locks(.never, after: 1e9))
        #expect(locks(.accountPreset, after: 16 * 60))
        #expect(!locks(.accountPreset, after: 5 * 60))
    }

    @Test("P-20: inactive alone never locks")
    func inactive() {
        var rules = launched(Arming(timeout: .immediately))
        _ = rules.handle(.phase(.inactive), at: .start)
        #expect(rules.state.cover == .obscured)
        _ = rules.handle(.phase(.active), at: .start + 86_400)
        #expect(rules.state == LockState(isLocked: false, cover: .none, generation: 0, revision: 2))
    }

    @Test("P-20: the first background moment counts until the next active")
    func firstMomentWins() {
        var rules = launched()
        _ = rules.handle(.phase(.background), at: .start)
        _ = rules.handle(.phase(.inactive), at: .start + 3)
        _ = rules.handle(.phase(.background), at: .start + 4)
        _ = rules.handle(.phase(.active), at: .start + 6)
        #expect(rules.state.isLocked)
    }

    @Test("P-20: an absence that is noticed late counts from its beginning, and locks when it is long enough")
    func noticedLate() {
        for (seconds, isLocked) in [(4, false), (5, true)] {
            var rules = launched()
            let effects = rules.handle(.left(since: .start), at: .start + seconds)
            #expect(rules.state.isLocked == isLocked)
            #expect(effects.contains(.persist(LockMark(isLocked: isLocked, backgroundSince: .start))))
        }
        var rules = launched()
        _ = rules.handle(.left(since: .start), at: .start + 4)
        _ = rules.handle(.left(since: .start + 4), at: .start + 4)
        _ = rules.handle(.phase(.active), at: .start + 5)
        #expect(rules.state.isLocked)
        var never = launched(Arming(timeout: .never))
        _ = never.handle(.left(since: .start), at: .start + 86_400)
        #expect(!never.state.isLocked)
    }

    @Test("P-20: moving the wall clock changes nothing; another boot locks")
    func clocks() {
        for seconds in [-86_400, 86_400] {
            var rules = launched()
            _ = rules.handle(.phase(.background), at: .start)
            var back = Moment.start + 2
            back.wall += .seconds(seconds)
            _ = rules.handle(.phase(.active), at: back)
            #expect(!rules.state.isLocked)
        }
        var rules = launched()
        _ = rules.handle(.phase(.background), at: .start)
        _ = rules.handle(.phase(.active), at: .start.rebooted(after: .seconds(1)))
        #expect(rules.state.isLocked)
    }

    @Test("P-20: the background moment is to be written down at once")
    func persists() {
        var rules = launched()
        let effects = rules.handle(.phase(.background), at: .start)
        #expect(effects.contains(.persist(LockMark(isLocked: false, backgroundSince: .start))))
        let back = rules.handle(.phase(.active), at: .start + 1)
        #expect(back.contains(.persist(LockMark())))
    }

    @Test("P-5: without a passcode nothing locks and nothing is written")
    func withoutPasscode() {
        var rules = launched(nil, launch: .always)
        #expect(rules.handle(.lock, at: .start).isEmpty)
        let effects = rules.handle(.phase(.background), at: .start)
        #expect(!effects.contains { if case .persist = $0 { true } else { false } })
        _ = rules.handle(.phase(.active), at: .start + 1000)
        #expect(!rules.state.isLocked)
    }

    @Test("P-24: a record that is read late and still says locked locks nothing again, whatever the timeout")
    func staleMark() {
        for timeout in [LockTimeout.immediately, .devicePreset, .never] {
            var rules = launched(Arming(timeout: timeout))
            _ = rules.handle(.lock, at: .start)
            _ = rules.handle(.unlock(generation: rules.state.generation), at: .start)
            _ = rules.handle(.armed(Arming(timeout: timeout, mark: LockMark(isLocked: true))), at: .start)
            #expect(!rules.state.isLocked)
        }
    }

    @Test(
        "P-5: a passcode that cannot be read locks",
        arguments: [
            PasscodeConfiguration.LaunchPolicy.resume, .always, .never,
        ]
    )
    func unreadable(launch: PasscodeConfiguration.LaunchPolicy) {
        #expect(launched(.unreadable, launch: launch).state.cover == .lockScreen)
        var rules = launched(nil, launch: launch)
        _ = rules.handle(.armed(.unreadable), at: .start)
        #expect(rules.state.isLocked)
    }

    @Test("P-22: a lock that comes from an unreadable record at launch is stored, like every other one")
    func unreadableIsStored() {
        var rules = LockRules(launch: .resume, idleTimeout: nil)
        let effects = rules.handle(.launched(.unreadable), at: .start)
        #expect(effects.contains(.persist(LockMark(isLocked: true))))
        // What was read later does not unlock, and the mark is on its way already.
        let later = rules.handle(.armed(Arming(timeout: .immediately)), at: .start)
        #expect(rules.state.isLocked && later.isEmpty)
    }

    @Test("P-22: a relaunch resumes what was: locked, long away, or open")
    func relaunch() {
        func relaunched(
            _ mark: LockMark,
            at moment: Moment,
            _ policy: PasscodeConfiguration.LaunchPolicy = .resume
        )
            -> Bool
        {
            launched(Arming(timeout: .after(.seconds(60)), mark: mark), launch: policy, at: moment).state
                .isLocked
        }
        let away = LockMark(isLocked: false, backgroundSince: .start)
        #expect(!relaunched(LockMark(), at: .start), "a first launch")
        #expect(relaunched(LockMark(isLocked: true), at: .start), "killed while locked")
        #expect(relaunched(away, at: .start + 60), "killed in the background for the timeout")
        #expect(!relaunched(away, at: .start + 59), "killed in the background for less")
        #expect(relaunched(away, at: .start.rebooted(after: .seconds(1))), "another boot")
        #expect(relaunched(LockMark(), at: .start, .always))
        #expect(!relaunched(LockMark(isLocked: true), at: .start, .never))
    }

    @Test("P-20, P-24: what happens while the store is being opened counts once it is open")
    func beforeLaunch() {
        func started(_ early: (inout LockRules) -> Void) -> LockRules {
            var rules = LockRules(launch: .resume, idleTimeout: nil)
            early(&rules)
            _ = rules.handle(.launched(Arming(timeout: .devicePreset)), at: .start + 10)
            return rules
        }
        var away = started { _ = $0.handle(.phase(.background), at: .start) }
        #expect(!away.state.isLocked)
        _ = away.handle(.phase(.active), at: .start + 3600)
        #expect(away.state.isLocked, "left while it started")

        #expect(started { _ = $0.handle(.lock, at: .start) }.state.isLocked)
        let returned = started {
            _ = $0.handle(.phase(.background), at: .start)
            _ = $0.handle(.phase(.active), at: .start + 6)
        }
        #expect(returned.state.isLocked, "left and returned while it started")
        let briefly = started {
            _ = $0.handle(.phase(.background), at: .start)
            _ = $0.handle(.phase(.active), at: .start + 1)
        }
        #expect(!briefly.state.isLocked)
    }

    @Test("P-20: an absence goes on over a relaunch in the background, and a launch in front ends it")
    func relaunchedAway() {
        let mark = LockMark(isLocked: false, backgroundSince: .start)
        func relaunched(
            _ phase: AppPhase?,
            _ policy: PasscodeConfiguration.LaunchPolicy = .resume
        ) -> LockRules {
            var rules = LockRules(launch: policy, idleTimeout: nil)
            if let phase { _ = rules.handle(.phase(phase), at: .start + 30) }
            _ = rules.handle(.launched(Arming(timeout: .after(.seconds(60)), mark: mark)), at: .start + 30)
            return rules
        }
        var away = relaunched(.background)
        #expect(!away.state.isLocked)
        _ = away.handle(.phase(.active), at: .start + 70)
        #expect(away.state.isLocked)
        var unlocked = relaunched(.background, .never)
        _ = unlocked.handle(.phase(.active), at: .start + 70)
        #expect(!unlocked.state.isLocked)
        for phase in [nil, AppPhase.active] {
            var back = relaunched(phase)
            _ = back.handle(.phase(.background), at: .start + 31)
            _ = back.handle(.phase(.active), at: .start + 70)
            #expect(!back.state.isLocked)
        }
    }

    @Test("P-22: a relaunch writes down that the absence is over")
    func relaunchPersists() {
        var rules = LockRules(launch: .resume, idleTimeout: nil)
        let mark = LockMark(isLocked: false, backgroundSince: .start)
        let effects = rules.handle(
            .launched(Arming(timeout: .after(.seconds(60)), mark: mark)),
            at: .start + 5
        )
        #expect(effects.contains(.persist(LockMark())))
    }

    @Test("P-23: activity after the deadline does not put the lock off")
    func lateActivity() {
        var rules = launched(idle: .seconds(600))
        _ = rules.handle(.activity, at: .start + 601)
        #expect(rules.state.isLocked)
    }

    @Test("P-23: no activity for the idle time locks; activity puts it off")
    func idle() {
        var rules = launched(idle: .seconds(600))
        #expect(rules.handle(.activity, at: .start + 100).contains(.checkIdle(sinceBoot: .seconds(1700))))
        _ = rules.handle(.idleCheck, at: .start + 600)
        #expect(!rules.state.isLocked)
        _ = rules.handle(.idleCheck, at: .start + 700)
        #expect(rules.state.isLocked)
    }

    @Test("P-23: a deadline that passes while the app is inactive locks, before the content is shown again")
    func idleWhileInactive() {
        for hasTimer in [false, true] {
            for phases in [[AppPhase.active], [.background, .active]] {
                var rules = launched(Arming(timeout: .never), idle: .seconds(600))
                let left = rules.handle(.phase(.inactive), at: .start + 10)
                #expect(left.contains(.checkIdle(sinceBoot: (Moment.start + 600).sinceBoot)))
                if hasTimer {
                    _ = rules.handle(.idleCheck, at: .start + 600)
                    #expect(rules.state.cover == .lockScreen)
                }
                for phase in phases {
                    let effects = rules.handle(.phase(phase), at: .start + 10_000)
                    #expect(rules.state.cover == .lockScreen && !effects.contains { $0.uncovers })
                }
            }
        }
    }

    @Test("P-23: the idle time begins with the first passcode, not at launch")
    func idleFromTheFirstPasscode() {
        var rules = launched(nil, idle: .seconds(600))
        let set = rules.handle(.armed(Arming(timeout: .devicePreset)), at: .start + 900)
        #expect(set.contains(.checkIdle(sinceBoot: .seconds(2500))))
        let changed = rules.handle(.armed(Arming(timeout: .immediately)), at: .start + 1000)
        #expect(changed.contains(.checkIdle(sinceBoot: .seconds(2500))))
        _ = rules.handle(.idleCheck, at: .start + 1499)
        #expect(!rules.state.isLocked)
        _ = rules.handle(.idleCheck, at: .start + 1500)
        #expect(rules.state.isLocked)
    }

    @Test("P-24: what covers the content")
    func covers() {
        var rules = launched()
        #expect(rules.state.cover == .none)
        _ = rules.handle(.phase(.inactive), at: .start)
        #expect(rules.state.cover == .obscured)
        _ = rules.handle(.lock, at: .start)
        #expect(rules.state.cover == .lockScreen)
        _ = rules.handle(.signOutBegan, at: .start)
        #expect(rules.state.cover == .signingOut)
        _ = rules.handle(.phase(.active), at: .start)
        #expect(rules.state.cover == .signingOut, "until sign-out has ended")
        _ = rules.handle(.signOutEnded(nil), at: .start)
        #expect(rules.state.cover == .none)
    }

    @Test("P-24: a sign-out that left the passcode leaves the app locked")
    func failedSignOut() {
        var rules = launched()
        _ = rules.handle(.lock, at: .start)
        _ = rules.handle(.signOutBegan, at: .start)
        _ = rules.handle(.signOutEnded(Arming(timeout: .devicePreset)), at: .start)
        #expect(rules.state.cover == .lockScreen)
    }

    @Test("P-14, P-24: a proof from before a log-out that failed opens nothing after it")
    func proofBeforeSignOut() {
        var rules = launched()
        _ = rules.handle(.lock, at: .start)
        let asked = rules.state.generation
        _ = rules.handle(.signOutBegan, at: .start)
        _ = rules.handle(.unlock(generation: rules.state.generation), at: .start)
        #expect(rules.state.cover == .signingOut, "nor anything while signing out")
        _ = rules.handle(.signOutEnded(Arming(timeout: .devicePreset)), at: .start)
        _ = rules.handle(.unlock(generation: asked), at: .start)
        #expect(rules.state.isLocked)
    }

    @Test(
        "P-23: the idle time begins anew with an unlock, and with a return, also with one by way of inactive",
        arguments: [[.active], [.inactive, .active]] as [[AppPhase]]
    )
    func idleFromUnlock(returning: [AppPhase]) {
        var rules = launched(Arming(timeout: .never), idle: .seconds(600))
        _ = rules.handle(.lock, at: .start + 10)
        let opened = rules.handle(.unlock(generation: rules.state.generation), at: .start + 5000)
        #expect(opened.contains(.checkIdle(sinceBoot: (Moment.start + 5600).sinceBoot)))
        _ = rules.handle(.phase(.background), at: .start + 5100)
        for phase in returning {
            let back = rules.handle(.phase(phase), at: .start + 9000)
            #expect(back.contains(.checkIdle(sinceBoot: (Moment.start + 9600).sinceBoot)))
        }
        #expect(!rules.state.isLocked)
        _ = rules.handle(.phase(.inactive), at: .start + 9001)
        _ = rules.handle(.idleCheck, at: .start + 9600)
        #expect(rules.state.isLocked, "a look at another window is no return")
    }

    @Test("P-23: a deadline that has passed locks also if the app leaves before its timer comes")
    func idleBeforeAbsence() {
        for (seconds, isLocked) in [(599, false), (600, true)] {
            var rules = launched(Arming(timeout: .never), idle: .seconds(600))
            _ = rules.handle(.phase(.background), at: .start + seconds)
            _ = rules.handle(.phase(.active), at: .start + seconds + 1)
            #expect(rules.state.isLocked == isLocked)
        }
    }

    @Test("P-20: an absence is judged by what was read after it, not by what comes later")
    func absenceIsJudgedOnce() {
        var rules = launched(nil)
        _ = rules.handle(.phase(.background), at: .start)
        _ = rules.handle(.lookBegan, at: .start + 600)
        _ = rules.handle(.phase(.active), at: .start + 600)
        #expect(rules.state.cover == .obscured)
        _ = rules.handle(.armed(nil), at: .start + 600)
        _ = rules.handle(.lookEnded, at: .start + 600)
        #expect(rules.state.cover == .none)
        _ = rules.handle(.armed(Arming(timeout: .devicePreset)), at: .start + 700)
        #expect(!rules.state.isLocked, "a first passcode does not lock out the person who sets it")
    }

    @Test("P-25: locking twice and unlocking twice are harmless")
    func twice() {
        var rules = launched()
        #expect(!rules.handle(.lock, at: .start).isEmpty)
        #expect(rules.handle(.lock, at: .start).isEmpty)
        let generation = rules.state.generation
        #expect(!rules.handle(.unlock(generation: generation), at: .start).isEmpty)
        #expect(!rules.state.isLocked)
        #expect(rules.handle(.unlock(generation: generation), at: .start).isEmpty)
    }

    @Test("P-14: a proof of an older generation unlocks nothing")
    func staleProof() {
        var rules = launched()
        _ = rules.handle(.lock, at: .start)
        let asked = rules.state.generation
        _ = rules.handle(.phase(.background), at: .start)
        _ = rules.handle(.unlock(generation: asked), at: .start)
        _ = rules.handle(.unlock(generation: rules.state.generation), at: .start)
        #expect(rules.state.isLocked, "nor anything while in the background")
        _ = rules.handle(.phase(.active), at: .start + 1)
        _ = rules.handle(.unlock(generation: asked), at: .start)
        #expect(rules.state.isLocked)
        _ = rules.handle(.unlock(generation: rules.state.generation), at: .start)
        #expect(!rules.state.isLocked)
    }

    @Test("P-20: a proof that is given before the app is active again is not undone by the return")
    func provenWhileInactive() {
        var rules = launched(Arming(timeout: .after(.seconds(10)), mark: LockMark(isLocked: true)))
        #expect(rules.state.isLocked)
        _ = rules.handle(.phase(.background), at: .start)
        _ = rules.handle(.phase(.inactive), at: .start + 600)
        let effects = rules.handle(.unlock(generation: rules.state.generation), at: .start + 601)
        #expect(effects.contains(.persist(LockMark())), "nor by a launch")
        _ = rules.handle(.phase(.active), at: .start + 602)
        #expect(!rules.state.isLocked)
        // The next absence is one of its own.
        _ = rules.handle(.phase(.background), at: .start + 700)
        _ = rules.handle(.phase(.active), at: .start + 709)
        #expect(!rules.state.isLocked)
    }

    @Test(
        "P-24, P-25: a second launch, such as a second window's, neither opens a locked app nor locks an open one",
        arguments: [.never, .resume, .always] as [PasscodeConfiguration.LaunchPolicy]
    )
    func launchedTwice(_ policy: PasscodeConfiguration.LaunchPolicy) {
        let arming = Arming(timeout: .after(.seconds(10)))
        var rules = LockRules(launch: policy, idleTimeout: nil)
        _ = rules.handle(.launched(arming), at: .start)
        _ = rules.handle(.unlock(generation: rules.state.generation), at: .start)
        #expect(rules.handle(.launched(arming), at: .start + 1).isEmpty)
        #expect(!rules.state.isLocked)
        _ = rules.handle(.lock, at: .start + 2)
        // The store holds the mark of before the lock.
        #expect(rules.handle(.launched(arming), at: .start + 3).isEmpty)
        #expect(rules.state.isLocked)
        // What changed is taken over.
        _ = rules.handle(.launched(nil), at: .start + 4)
        #expect(!rules.state.isLocked && rules.state.cover == .none)
    }

    @Test("P-20, P-25: against a brute-force model, random walks lock exactly when they should")
    func randomWalks() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            var rules = launched(Arming(timeout: .after(.seconds(10))))
            var now = Moment.start
            // The model: since when away without a proof, and whether locked, written as the requirement reads.
            var since: Moment?
            var locked = false
            var isInBackground = false
            for _ in 0..<60 {
                now = now + Int.random(in: 0...12, using: &generator)
                switch Int.random(in: 0...4, using: &generator) {
                case 0:
                    _ = rules.handle(.phase(.background), at: now)
                    since = since ?? now
                    isInBackground = true
                case 1:
                    _ = rules.handle(.phase(.inactive), at: now)
                    isInBackground = false
                case 2, 3:
                    _ = rules.handle(.phase(.active), at: now)
                    if let left = since, now.sinceBoot - left.sinceBoot >= .seconds(10) { locked = true }
                    since = nil
                    isInBackground = false
                default:
                    _ = rules.handle(.unlock(generation: rules.state.generation), at: now)
                    if !isInBackground, locked { (locked, since) = (false, nil) }
                }
                #expect(rules.state.isLocked == locked)
            }
        }
    }

    @Test("P-24: the transition is opacity, ease-in-out, a quarter of a second")
    func transition() {
        let transition = CoverTransition.standard
        #expect(transition.duration == .milliseconds(250))
        #expect(transition.opacity(at: 0) == 0)
        #expect(transition.opacity(at: 0.5) == 0.5)
        #expect(transition.opacity(at: 1) == 1)
        #expect(transition.opacity(at: 0.25) < 0.25)
        #expect(transition.opacity(at: 0.75) > 0.75)
    }
}

extension LockRules.Effect {
    fileprivate var uncovers: Bool {
        if case .announce(let state) = self { state.cover == .none } else { false }
    }
}
