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
            patience: .milliseconds(fault == .none ? 60_000 : 200),
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

    @Test(
        "X-3: the scheduler without a fault keeps every clause",
        arguments: ActivitySchedulerContract.allCases
    )
    func barksAtNobody(_ clause: ActivitySchedulerContract) async throws {
        #expect(try await clause.check(subject(.none)) == .kept)
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
        let ids = (1...37).map { $0 < 10 ? "AS-0\($0)" : "AS-\($0)" }
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
