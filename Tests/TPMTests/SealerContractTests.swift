import Foundation
import PortcullisCore
import PortcullisTesting
import SoftwareTPM
import Testing

@testable import TPM

@Suite(
    "TPMPasscodeSealer keeps the contract on a software TPM (X-3, H-1)",
    .enabled(if: SoftwareTPM.isInstalled, "swtpm, tpm2-tools and libtss2-tctildr0 are not installed"),
    .timeLimit(.minutes(5))
)
struct SealerContractTests {
    private static let limit = 3

    /// Without the clause that needs a chip that can be turned off, where there is none.
    private static let clauses = PasscodeSealerContract.allCases.filter {
        SoftwareTPM.isOwn || $0 != .missing
    }

    private static let phrase = SecretBytes(copying: "orbit maple tundra".utf8)

    private static func sealer(_ chip: SoftwareTPM, isRecoverable: Bool) -> TPMPasscodeSealer {
        TPMPasscodeSealer(
            TPMConfiguration(
                address: TPMAddress(chip.tcti),
                scope: Array("contract".utf8),
                lockPath: chip.folder.appending(path: "seal.lock").path(percentEncoded: false),
                limit: limit,
                recovery: isRecoverable ? .passphrase(phrase) : .none,
                parameters: Argon2Parameters(memory: 64, passes: 1, lanes: 1)
            )
        )
    }

    @Test("H-1, H-3: each clause of a sealer on hardware", arguments: clauses)
    func contract(_ clause: PasscodeSealerContract) async throws {
        let chip = try SoftwareTPM()
        defer { chip.remove() }
        let isRecoverable = clause != .notRecoverable
        let result = try await clause.check(
            PasscodeSealerSubject {
                .init(
                    sealer: Self.sealer(chip, isRecoverable: isRecoverable),
                    tryLimit: Self.limit,
                    recovery: isRecoverable ? Self.phrase : nil,
                    another: { Self.sealer(chip, isRecoverable: isRecoverable) },
                    setMissing: { isMissing in if isMissing { chip.turnOff() } else { try chip.turnOn() } }
                )
            }
        )
        #expect(result == (clause == .legacy ? .notApplicable("the sealer takes no hash over") : .kept))
    }
}
