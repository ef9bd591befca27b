import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@Suite("The BiometricAuthenticator contract bites (X-3)", .timeLimit(.minutes(5)))
struct BiometricContractBitesTests {
    /// The authenticator that is open now.
    private final class Opened: Sendable {
        private let current: Mutex<FaultyBiometrics>
        init(_ fault: BiometricFault) { current = Mutex(FaultyBiometrics(fault)) }

        var now: FaultyBiometrics { current.withLock { $0 } }

        func reopen() -> FaultyBiometrics {
            current.withLock { current in
                current = FaultyBiometrics(current.fault, from: current)
                return current
            }
        }
    }

    private func subject(_ fault: BiometricFault) -> BiometricAuthenticatorSubject {
        // All that is waited for comes, however late on a busy machine, but where the fault makes it stuck.
        BiometricAuthenticatorSubject(patience: .seconds(fault.stuck == nil ? 60 : 5)) {
            let opened = Opened(fault)
            return .init(
                authenticator: opened.now,
                reader: .init(
                    prompt: { opened.now.prompt },
                    present: { opened.now.present($0) },
                    give: { opened.now.give($0) },
                    failuresToLockOut: FaultyBiometrics.failuresToLockOut
                ),
                setSwitchedOn: { opened.now.setSwitchedOn($0) },
                changeEnrolment: { opened.now.changeEnrolment() },
                clearEnrolment: { opened.now.clearEnrolment() },
                enterPasscode: { opened.now.enterPasscode() },
                letPass: { opened.now.letPass($0) },
                failNext: { opened.now.failNext() },
                reopen: { opened.reopen() }
            )
        }
    }

    @Test(
        "X-3: each fault is caught by the clause meant for it",
        arguments: BiometricFault.allCases.filter { $0.clause != nil }
    )
    func bites(_ fault: BiometricFault) async throws {
        let clause = try #require(fault.clause)
        let violation = await #expect(throws: ContractViolation.self) {
            try await clause.check(subject(fault))
        }
        #expect(violation?.clause == clause.id)
        let finding = violation?.finding ?? ""
        if let stuck = fault.stuck {
            #expect(finding.hasSuffix(stuck))
        } else {
            let isStuck = ["was not shown", "did not end", "stays up", "has to wait"].contains(
                where: finding.contains
            )
            #expect(!isStuck, "\(finding)")
        }
        #expect(!finding.contains("unexpected error"))
        #expect(violation?.description.contains("contract-key") == false)
    }

    @Test("X-3: keys that many tasks drop at once are looked at too, each by itself")
    func dropsAtOnce() async {
        let violation = await #expect(throws: ContractViolation.self) {
            try await BiometricAuthenticatorContract.concurrentEnrolments.check(subject(.forgetsNothing))
        }
        #expect(violation?.finding.contains("whose key was dropped with many at once") == true)
    }

    @Test(
        "X-3: the authenticator without a fault keeps every clause",
        arguments: BiometricAuthenticatorContract.allCases
    )
    func barksAtNobody(_ clause: BiometricAuthenticatorContract) async throws {
        #expect(try await clause.check(subject(.none)) == .kept)
    }

    @Test("X-3: every clause has a fault that it catches; ids are unique and lasting")
    func everyClauseIsProved() {
        let proved = Set(BiometricFault.allCases.compactMap(\.clause))
        #expect(Set(BiometricAuthenticatorContract.allCases).subtracting(proved).isEmpty)
        let ids = (1...37).map { $0 < 10 ? "B-0\($0)" : "B-\($0)" }
        #expect(BiometricAuthenticatorContract.allCases.map(\.id) == ids)
    }

    @Test("X-3: where nobody can show up, only what can be seen without is checked, and the rest says why")
    func withoutReader() async throws {
        var kept: [String] = []
        var reasons: Set<String> = []
        for clause in BiometricAuthenticatorContract.allCases {
            let result = try await clause.check(
                BiometricAuthenticatorSubject { .init(authenticator: FaultyBiometrics(.none)) }
            )
            switch result {
            case .kept: kept.append(clause.id)
            case .notApplicable(let reason): reasons.insert(reason)
            }
        }
        #expect(kept == ["B-01", "B-25"])
        #expect(
            reasons == [
                "a match cannot be brought about in a test", "a failure cannot be brought about in a test",
                "it cannot be switched off in a test", "none can be taken away in a test",
                "none can be enrolled in a test",
            ]
        )
    }

    @Test("X-3: what a reader cannot bring about is named, and the other clauses are checked")
    func someEvents() async throws {
        func result(_ clause: BiometricAuthenticatorContract) async throws -> ContractResult {
            try await clause.check(
                BiometricAuthenticatorSubject {
                    let authenticator = FaultyBiometrics(.none)
                    return .init(
                        authenticator: authenticator,
                        reader: .init(
                            prompt: { authenticator.prompt },
                            present: { authenticator.present($0) },
                            events: [.match, .noMatch]
                        )
                    )
                }
            )
        }
        #expect(
            try await result(.userCancels)
                == .notApplicable("a prompt that the person takes away cannot be brought about in a test")
        )
        #expect(try await result(.lockOut) == .notApplicable("it is not locked out in a test"))
        #expect(try await result(.noMatch) == .kept)
        #expect(try await result(.nothingTold) == .kept)
    }

    @Test("X-3: an authenticator that refuses everything violates the clause, by name")
    func unavailable() async {
        let violation = await #expect(throws: ContractViolation.self) {
            try await BiometricAuthenticatorContract.available.check(
                BiometricAuthenticatorSubject { .init(authenticator: Unavailable()) }
            )
        }
        #expect(violation?.description.contains("B-01") == true)
        #expect(violation?.finding.contains("notAvailable") == true)
    }
}
