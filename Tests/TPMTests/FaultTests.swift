import Foundation
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import SoftwareTPM
import Testing

@testable import TPM

/// Rounds of acts with a fault somewhere in each.
@Suite(
    "Faults of a chip, and kills, at any command (H-1, H-3)",
    .enabled(if: SoftwareTPM.isInstalled, "swtpm, tpm2-tools and libtss2-tctildr0 are not installed"),
    .timeLimit(.minutes(30))
)
struct FaultTests {
    /// A thousand with PORTCULLIS_TORTURE.
    private static let rounds = ProcessInfo.processInfo.environment["PORTCULLIS_TORTURE"] == nil ? 60 : 1000

    private static let passcodes = ["834912", "619283", "528417"].map { SecretBytes(copying: Array($0.utf8)) }
    private let wrong = SecretBytes(copying: Array("270954".utf8))

    @Test(
        "H-1, H-3: below the limit the right passcode opens after each, no try is won, and nothing is left over"
    )
    func rounds() async throws {
        var numbers = SeededNumbers(seed: 22)
        let bench = try ServiceTests.Bench()
        let limit = 40
        var current = Self.passcodes[0]
        let first = try await bench.service(bench.sealer(limit: limit)).set(current)
        let key = try #require(first.key)
        /// Wrong passcodes that were answered since the last right one.
        var answered = 0
        for round in 0..<Self.rounds {
            // Each round is a process of its own, which ends with a kill where the fault is one.
            let service = try bench.service(bench.sealer(limit: limit))
            let fault = Ear.Fault.allCases.randomElement(using: &numbers)!
            bench.ear.schedule(
                fault,
                after: Int.random(in: 0..<28, using: &numbers),
                for: fault == .retry || fault == .rate ? Int.random(in: 1...4, using: &numbers) : 1
            )
            let other = Self.passcodes.randomElement(using: &numbers)!
            let act = Int.random(in: 0..<4, using: &numbers)
            do throws(PasscodeError) {
                switch act {
                case 0:
                    if try await service.verify(current).isRight { answered = 0 }
                case 1, 2:
                    if case .wrong = try await service.verify(wrong) { answered += 1 }
                default:
                    let answer = try await service.change(from: current, to: other)
                    if answer.isRight {
                        current = other
                        answered = 0
                    }
                }
            } catch {
                // A fault is told as one; which passcode is recorded shows below.
                #expect(error.code == .sealer, "round \(round): \(error)")
                // With the right passcode the chip may have counted anew before its answer was lost.
                if act != 1, act != 2 { answered = 0 }
            }
            bench.ear.heal()
            bench.chip.flush()
            let fresh = try bench.service(bench.sealer())
            let counted = try #require(try await fresh.hardwareCount()).failures
            #expect(counted >= answered, "round \(round), \(fault): a try was won")
            if counted >= limit / 2 || round % 5 == 0 {
                guard case .right(let proof) = try await fresh.verify(current) else {
                    Issue.record("round \(round), \(fault): the right passcode does not open")
                    return
                }
                #expect(proof.key?.matches(key) == true)
                answered = 0
            }
        }
        #expect(try await bench.service().remove(current).isRight)
        #expect(try bench.found().isEmpty)
    }
}
