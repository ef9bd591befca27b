import FakeBiometrics
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("FakeBiometrics keeps the contract (X-3)", .timeLimit(.minutes(5)))
struct FakeBiometricsContractTests {
    private func subject(_ binding: BiometricBinding) -> BiometricAuthenticatorSubject {
        BiometricAuthenticatorSubject {
            let clock = ManualClock()
            let fake = FakeBiometrics(kind: .touchID, binding: binding, clock: clock)
            return .init(
                authenticator: fake,
                reader: .init(
                    prompt: { fake.prompt.map { .init(reason: $0.reason, fallbackTitle: $0.fallbackTitle) } },
                    present: { fake.answer(.init($0)) },
                    give: { fake.give($0) },
                    failuresToLockOut: FakeBiometrics.failuresToLockOut
                ),
                setSwitchedOn: { fake.setSwitchedOn($0) },
                changeEnrolment: { fake.changeEnrolment(to: ["owner", "another"]) },
                clearEnrolment: { fake.changeEnrolment(to: []) },
                enterPasscode: { fake.passcodeEntered() },
                letPass: { await clock.advance(by: $0) }
            )
        }
    }

    @Test("X-3: releasing a key, it keeps every clause", arguments: BiometricAuthenticatorContract.allCases)
    func releasing(_ clause: BiometricAuthenticatorContract) async throws {
        let expected: ContractResult =
            switch clause {
            case .reopening, .changedBeforeReopening: .notApplicable("it is not made anew")
            case .failedEnroll, .failedForget: .notApplicable("it cannot be made to fail in a test")
            default: .kept
            }
        #expect(try await clause.check(subject(.key)) == expected)
    }

    @Test("P-15: asserting, it keeps every clause but those about keys")
    func asserting() async throws {
        var skipped: [String] = []
        for clause in BiometricAuthenticatorContract.allCases {
            let result = try await clause.check(subject(.assertion))
            if result == .kept { continue }
            #expect(result == .notApplicable("it asserts and releases no key"))
            skipped.append(clause.id)
        }
        #expect(
            skipped == [
                "B-21", "B-22", "B-23", "B-24", "B-26", "B-27", "B-28", "B-29", "B-30", "B-31", "B-32",
                "B-34",
                "B-36",
            ]
        )
    }
}

extension FakeBiometrics.Answer {
    fileprivate init(_ event: BiometricAuthenticatorSubject.PromptEvent) {
        self =
            switch event {
            case .match: .success
            case .noMatch: .fail(message: nil)
            case .userCancels: .cancel(by: .user)
            case .systemCancels: .cancel(by: .system)
            case .choosesPasscode: .choosePasscode
            }
    }
}
