import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@Suite("The Notifier contract bites (X-3)", .timeLimit(.minutes(5)))
struct NotifierContractBitesTests {
    private func subject(_ fault: NotifierFault) -> NotifierSubject {
        NotifierSubject(patience: .milliseconds(fault == .none ? 60_000 : 200)) { clock in
            let notifier = FaultyNotifier(clock, fault)
            return .init(
                notifier: notifier,
                delivered: { notifier.shown },
                setStuck: { notifier.setStuck($0) },
                forbid: { notifier.forbid() }
            )
        }
    }

    @Test(
        "X-3: each fault is caught by the clause meant for it",
        arguments: NotifierFault.allCases.filter { $0.clause != nil }
    )
    func bites(_ fault: NotifierFault) async throws {
        let clause = try #require(fault.clause)
        let violation = await #expect(throws: ContractViolation.self) {
            try await clause.check(subject(fault))
        }
        #expect(violation?.clause == clause.id)
        #expect(violation?.finding.contains("unexpected error") == false)
    }

    @Test(
        "X-3: what many tasks have scheduled has to come at its time",
        arguments: [NotifierContract.concurrentDeliveries, .concurrentReplacements]
    )
    func neverComes(_ clause: NotifierContract) async {
        let violation = await #expect(throws: ContractViolation.self) {
            try await clause.check(subject(.never))
        }
        #expect(violation?.clause == clause.id)
    }

    @Test("X-3: a finding tells what was expected and what came, by id and text")
    func findings() async throws {
        let dropped = await #expect(throws: ContractViolation.self) {
            try await NotifierContract.now.check(subject(.dropsNow))
        }
        #expect(
            dropped?.finding == "one without a time: expected contract.ü \"A \"quote\", and 👩‍👧\", were none"
        )
        let kept = await #expect(throws: ContractViolation.self) {
            try await NotifierContract.replacesNow.check(subject(.keepsPending))
        }
        #expect(
            kept?.finding == "after delivering now: expected pending none, "
                + "were contract.a \"later\", contract.b \"later\""
        )
    }

    @Test("X-3: a notifier may take its time to show what it was given, and not for ever")
    func slowly() async throws {
        func check(_ clause: NotifierContract, patience: Duration, hidden: Int) async throws -> ContractResult
        {
            let looks = Mutex(0)
            let subject = NotifierSubject(patience: patience) { clock in
                let notifier = RecordingNotifier(clock: clock)
                return .init(
                    notifier: notifier,
                    delivered: {
                        let look = looks.withLock { looks in
                            looks += 1
                            return looks
                        }
                        return look > hidden ? notifier.delivered : []
                    }
                )
            }
            return try await clause.check(subject)
        }
        #expect(try await check(.now, patience: .seconds(60), hidden: 5) == .kept)
        let violation = await #expect(throws: ContractViolation.self) {
            try await check(.nothingAtFirst, patience: .milliseconds(20), hidden: .max)
        }
        #expect(violation?.finding == "a notification without a time did not come")
    }

    @Test("X-3: the notifier in memory keeps every clause", arguments: NotifierContract.allCases)
    func inMemory(_ clause: NotifierContract) async throws {
        let result = try await clause.check(
            NotifierSubject { clock in
                let notifier = RecordingNotifier(clock: clock)
                return .init(
                    notifier: notifier,
                    delivered: { notifier.delivered },
                    forbid: { notifier.setAuthorized(false) }
                )
            }
        )
        #expect((result == .kept) == (clause != .stuckReader))
    }

    @Test("X-3: the notifier without a fault keeps every clause", arguments: NotifierContract.allCases)
    func barksAtNobody(_ clause: NotifierContract) async throws {
        #expect(try await clause.check(subject(.none)) == .kept)
    }

    @Test("X-3: every clause has a fault that it catches; ids are unique and lasting")
    func everyClauseIsProved() {
        let proved = Set(NotifierFault.allCases.compactMap(\.clause))
        #expect(Set(NotifierContract.allCases).subtracting(proved).isEmpty)
        let ids = (1...22).map { $0 < 10 ? "N-0\($0)" : "N-\($0)" }
        #expect(NotifierContract.allCases.map(\.id) == ids)
    }

    @Test("X-3: RecordingNotifier keeps the contract", arguments: NotifierContract.allCases)
    func recording(_ clause: NotifierContract) async throws {
        let subject = NotifierSubject { clock in
            let notifier = RecordingNotifier(clock: clock)
            return .init(
                notifier: notifier,
                delivered: { notifier.delivered },
                forbid: { notifier.setAuthorized(false) }
            )
        }
        let expected: ContractResult =
            clause == .stuckReader ? .notApplicable("the reader cannot be held in a test") : .kept
        #expect(try await clause.check(subject) == expected)
    }

    @Test("X-3: on a clock that goes by itself the clauses that need no time are checked")
    func running() async throws {
        let clock = ManualClock()
        var skipped: [String] = []
        for clause in NotifierContract.allCases {
            let notifier = RecordingNotifier(clock: clock)
            let subject = NotifierSubject(running: clock) {
                .init(notifier: notifier, delivered: { notifier.delivered })
            }
            if try await clause.check(subject) != .kept { skipped.append(clause.id) }
            // Nothing that a person would be shown after the tests.
            #expect(await notifier.pending().isEmpty, "\(clause)")
        }
        #expect(skipped == ["N-05", "N-07", "N-13", "N-14", "N-15", "N-16", "N-20", "N-21"])
    }

    @Test("X-3: a notifier that refuses everything violates the clause, by name")
    func throwing() async {
        let violation = await #expect(throws: ContractViolation.self) {
            try await NotifierContract.now.check(
                NotifierSubject { _ in .init(notifier: Unavailable(), delivered: { [] }) }
            )
        }
        #expect(violation?.description.contains("N-02") == true)
        #expect(violation?.finding.contains("unavailable") == true)
    }
}
