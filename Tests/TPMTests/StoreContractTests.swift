import Foundation
import GcryptKeystore
import PortcullisCore
import PortcullisTesting
import SoftwareTPM
import TPM
import Testing

@Suite(
    "The protector and the anchor keep their contracts on a software TPM (X-3, H-4)",
    .enabled(if: SoftwareTPM.isInstalled, "swtpm, tpm2-tools and libtss2-tctildr0 are not installed"),
    .timeLimit(.minutes(5))
)
struct StoreContractTests {
    private static func protector(_ chip: SoftwareTPM) throws -> TPMKeyProtector {
        TPMKeyProtector(try #require(TPMAddress(chip.tcti)))
    }

    @Test(
        "H-4: each clause of a protector",
        .enabled(if: SoftwareTPM.isOwn, "it takes two chips"),
        arguments: KeyProtectorContract.allCases
    )
    func protector(_ clause: KeyProtectorContract) async throws {
        let (chip, other) = (try SoftwareTPM(), try SoftwareTPM())
        defer {
            chip.remove()
            other.remove()
        }
        let result = try await clause.check(
            KeyProtectorSubject {
                .init(
                    protector: try Self.protector(chip),
                    another: { try Self.protector(chip) },
                    otherHardware: { try Self.protector(other) },
                    setMissing: { isMissing in if isMissing { chip.turnOff() } else { try chip.turnOn() } }
                )
            }
        )
        #expect(result == .kept)
        if clause != .missing { #expect(try chip.handles("transient").isEmpty) }
    }

    @Test("H-4: each clause of an anchor", arguments: RollbackAnchorContract.allCases)
    func anchor(_ clause: RollbackAnchorContract) async throws {
        let chip = try SoftwareTPM()
        defer { chip.remove() }
        let path = chip.folder.appendingPathComponent("anchor").path
        let address = try #require(TPMAddress(chip.tcti))
        let result = try await clause.check(
            RollbackAnchorSubject {
                .init(
                    anchor: TPMAnchor(address, records: FileAnchor(path: path)),
                    another: { TPMAnchor(address, records: FileAnchor(path: path)) },
                    deleteCounter: { try chip.tool("tpm2_nvundefine", "0x\(String($0, radix: 16))") }
                )
            }
        )
        // The records' file is a real one, to which no power failure can come.
        #expect((result == .kept) == (clause != .durable))
    }
}
