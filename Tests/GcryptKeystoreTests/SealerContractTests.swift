import GcryptKeystore
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("GcryptPasscodeSealer keeps the contract (X-3)", .timeLimit(.minutes(5)))
struct SealerContractTests {
    @Test("X-3, P-2: each clause that software can keep", arguments: PasscodeSealerContract.allCases)
    func contract(_ clause: PasscodeSealerContract) async throws {
        let cheap = Argon2Parameters(memory: 64, passes: 1, lanes: 1)
        let result = try await clause.check(
            PasscodeSealerSubject {
                .init(
                    sealer: GcryptPasscodeSealer(parameters: cheap),
                    another: { GcryptPasscodeSealer(parameters: .owaspMinimum) }
                )
            }
        )
        let expected: ContractResult =
            switch clause {
            case .triesExhausted, .rightResets, .countIsShared, .concurrentTries:
                .notApplicable("the sealer counts no tries")
            case .missing: .notApplicable("there is no hardware to be taken away")
            case .settleDeletes: .notApplicable("the sealer keeps nothing in hardware")
            case .recovers: .notApplicable("the sealer has no recovery passphrase")
            default: .kept
            }
        #expect(result == expected)
    }
}
