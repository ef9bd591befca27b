import PortcullisCore
import PortcullisTesting
import Testing

@Suite("The ActivityScheduler contract bites (X-3)", .timeLimit(.minutes(5)))
struct ActivityContractBitesTests {
    private func subject(
        _ fault: SchedulerFault,
        unsupported: Set<ActivitySchedulerContract> = []
    ) -> ActivitySchedulerSubject {
        ActivitySchedulerSubject(
            unsupported: unsupported,
            patience: .milliseconds(fault.clause == nil ? 60_000 : 200),
            settle: { await ($0 as? FaultyScheduler)?.settle() },
            make: { FaultyScheduler($0, fault) }
        )
    }

    @Test(
        "X-3: each fault is caught by the clause meant for it",
        arguments: SchedulerFault.allCases.filter { $0.clause != nil }
    )
    func bites(_ fault: SchedulerFault) async throws {
        let clause = try #require(fault.clause)
        let violation = await #expect(throws: ContractViolation.self) {
            try await clause.check(subject(fault))
        }
        #expect(violation?.clause == clause.id)
        #expect(violation?.finding.contains("unexpected error") == false)
    }

    @Test("X-3: many tasks' events have to come to each taker")
    func takersAtOnce() async {
        let violation = await #expect(throws: ContractViolation.self) {
            try await ActivitySchedulerContract.concurrentChanges.check(subject(.oneTaker))
        }
        #expect(violation?.clause == ActivitySchedulerContract.concurrentChanges.id)
    }

    @Test(
        "X-3: the scheduler without a fault keeps every clause",
        arguments: ActivitySchedulerContract.allCases
    )
    func barksAtNobody(_ clause: ActivitySchedulerContract) async throws {
        let expected: ContractResult =
            clause == .refusesUnsupported ? .notApplicable("the scheduler can do all of it") : .kept
        #expect(try await clause.check(subject(.none)) == expected)
    }

    @Test("X-3: a scheduler that only repeats, without warnings, keeps all that it claims")
    func plain() async throws {
        var skipped: [String: String] = [:]
        for clause in ActivitySchedulerContract.allCases {
            guard case .notApplicable(let reason) = try await clause.check(subject(.plain)) else { continue }
            skipped[clause.id] = reason
        }
        let warnings = "the scheduler gives no warnings"
        let once = "the scheduler repeats every activity"
        #expect(
            skipped == [
                ActivitySchedulerContract.warnings.id: warnings,
                ActivitySchedulerContract.longWarning.id: warnings,
                ActivitySchedulerContract.lateWarning.id: warnings,
                ActivitySchedulerContract.missedWarnings.id: warnings,
                ActivitySchedulerContract.onceInside.id: once,
                ActivitySchedulerContract.onceLater.id: once,
                ActivitySchedulerContract.onceMissed.id: once,
                ActivitySchedulerContract.nextEvent.id: "the scheduler does not tell next events",
            ]
        )
    }

    @Test("X-3: every clause has a fault that it catches")
    func everyClauseIsProved() {
        let proved = Set(SchedulerFault.allCases.compactMap(\.clause))
        #expect(Set(ActivitySchedulerContract.allCases).subtracting(proved).isEmpty)
    }

    @Test("X-3: only a clause that may be is declared unsupported; ids are unique and lasting")
    func unsupported() async throws {
        let allowed = try await ActivitySchedulerContract.setBackFar.check(
            subject(.neverBelieves, unsupported: [.setBackFar])
        )
        #expect(allowed == .notApplicable("declared unsupported"))
        await #expect(throws: ContractViolation.self) {
            try await ActivitySchedulerContract.days.check(subject(.none, unsupported: [.days]))
        }
        let ids = (1...38).map { $0 < 10 ? "AS-0\($0)" : "AS-\($0)" }
        #expect(ActivitySchedulerContract.allCases.map(\.id) == ids)
    }

    @Test("X-3: on a clock that goes by itself the clauses that need no time are checked", arguments: 0..<24)
    func running(hour: Int) async throws {
        let clock = ManualClock(wall: .seconds(1_767_225_600 + hour * 3_600 + 1_234), zone: .utc)
        let subject = ActivitySchedulerSubject(running: clock) { ManualActivityScheduler(clock: clock) }
        var kept = 0
        for clause in ActivitySchedulerContract.allCases where try await clause.check(subject) == .kept {
            kept += 1
        }
        #expect(kept == 13)
    }

    @Test(
        "X-3: at any time of day the present interval began an hour ago or more, and the later one is hours away",
        arguments: [
            (0, "12:0-12:0", "12:0-13:0"), (3_599, "12:0-12:0", "12:0-13:0"),
            (3_600, "0:0-0:0", "12:0-13:0"), (6 * 3_600 - 1, "0:0-0:0", "12:0-13:0"),
            (6 * 3_600, "0:0-0:0", "4:0-5:0"), (14 * 3_600 - 1, "0:0-0:0", "4:0-5:0"),
            (14 * 3_600, "12:0-12:0", "4:0-5:0"), (86_399, "12:0-12:0", "4:0-5:0"),
        ]
    )
    func timesOfDay(seconds: Int, present: String, later: String) async throws {
        let clock = ManualClock(wall: .seconds(1_767_225_600 + seconds))
        for (clause, schedule) in [(ActivitySchedulerContract.startInside, present), (.startOutside, later)] {
            let transcript = Transcript()
            let subject = ActivitySchedulerSubject(running: clock) {
                TranscribedScheduler(
                    inner: FaultyScheduler(clock, .none),
                    transcript: transcript,
                    clock: clock
                )
            }
            try await clause.check(subject)
            #expect(transcript.entries.contains { $0.text.hasPrefix("start contract \(schedule) ") })
        }
    }

    @Test("X-3: events that do not come are told with a hint where no task used the executor of the clock")
    func hint() async throws {
        func finding(
            _ executor: ManualExecutor?,
            _ clause: ActivitySchedulerContract = .startInside,
            _ fault: SchedulerFault = .silentStart
        ) async -> String {
            let subject = ActivitySchedulerSubject(
                patience: .milliseconds(20),
                clock: { ManualClock(wall: $0, zone: $1, executor: executor) },
                make: { FaultyScheduler($0, fault) }
            )
            let violation = await #expect(throws: ContractViolation.self) {
                try await clause.check(subject)
            }
            return violation?.finding ?? ""
        }
        let lost = "some of the events did not come: contract intervalDidStart meant for day 0, 0:0 UTC"
        let hint =
            "; tasks of the scheduler's own need the executor of the clock, which was given none, "
            + "or a `settle` is missing"
        #expect(await finding(nil).hasSuffix(lost))
        #expect(await finding(ManualExecutor()).hasSuffix(lost + hint))
        let used = ManualExecutor()
        Task(executorPreference: used) {}
        used.runUntilIdle()
        #expect(await finding(used).hasSuffix(lost))
        // A scheduler without a fault hands events out only when asked, and is not asked.
        for clause in [ActivitySchedulerContract.gapAndOverlap, .activitiesApart, .nextEvent, .onceMissed] {
            #expect(await finding(ManualExecutor(), clause, .none).hasSuffix(hint), "\(clause)")
        }
    }

    @Test("X-3: a finding tells the events that were expected and those that came, by day and time")
    func findings() async throws {
        func finding(_ fault: SchedulerFault, _ clause: ActivitySchedulerContract) async -> String {
            let violation = await #expect(throws: ContractViolation.self) {
                try await clause.check(subject(fault))
            }
            return violation?.finding ?? ""
        }
        let outside = await finding(.startsOutside, .startOutside)
        #expect(
            outside == "after a start outside: expected none, "
                + "were contract intervalDidStart meant for day 0, 8:0 UTC"
        )
        let once = await finding(.repeatsOnce, .onceInside)
        #expect(once.contains("; contract intervalWillEndWarning meant for day 1, 8:30 UTC; "))
    }

    @Test("X-3: a scheduler that throws violates the clause, by name")
    func throwing() async {
        let violation = await #expect(throws: ContractViolation.self) {
            try await ActivitySchedulerContract.startInside.check(
                ActivitySchedulerSubject { _ in Unavailable() }
            )
        }
        #expect(violation?.description.contains("AS-01") == true)
        #expect(violation?.finding.contains("unavailable") == true)
    }
}
