import Foundation
import PortcullisTesting
import SoftwareTPM
import Testing

/// Kills of the tool and of the TPM, at any moment.
@Suite(
    "portcullis passcode --tpm, killed (H-1)",
    .enabled(if: SoftwareTPM.isInstalled, "swtpm, tpm2-tools and libtss2-tctildr0 are not installed"),
    .timeLimit(.minutes(15))
)
struct TPMKillTests {
    @Test(
        "H-1: 5 wrong tries among kills of the tool and the chip, and restored copies; then the right one is refused",
        .enabled(if: SoftwareTPM.isOwn, "the chip cannot be turned off")
    )
    func kills() async throws {
        var numbers = SeededNumbers(seed: 7)
        let desk = try await TPMToolTests.Desk()
        defer { desk.remove() }
        let copy = try desk.copy()
        defer { try? FileManager.default.removeItem(at: copy) }
        var answered = 0
        for round in 0..<40 {
            let (process, input, output, errors) = desk.tool.process(["passcode", "verify"])
            try process.run()
            try? input.fileHandleForWriting.write(contentsOf: Data(TPMToolTests.wrong.utf8))
            try? input.fileHandleForWriting.close()
            usleep(UInt32.random(in: 0...150_000, using: &numbers))
            let isKilled = Bool.random(using: &numbers)
            if isKilled {
                kill(process.processIdentifier, SIGKILL)
            } else if round % 3 == 0 {
                desk.chip.turnOff()
            }
            process.waitUntilExit()
            _ = try? output.fileHandleForReading.readToEnd()
            _ = try? errors.fileHandleForReading.readToEnd()
            if !isKilled, round % 3 == 0 { try desk.chip.turnOn() }
            if process.terminationReason == .exit {
                #expect([1, 5, 7].contains(process.terminationStatus))
                if process.terminationStatus == 1 { answered += 1 }
            }
            desk.chip.flush()
            if Int.random(in: 0..<3, using: &numbers) == 0 { try desk.restore(copy) }
        }
        #expect(answered <= 5, "no try is won")
        for _ in answered..<5 { _ = try await desk.verify(TPMToolTests.wrong) }
        #expect(try await desk.verify(TPMToolTests.right).status == 5)
        #expect(try await desk.recover("619283\n").status == 0)
        #expect(try await desk.tool.run("passcode", "remove", input: "619283\n").status == 0)
        #expect(try desk.chip.handles("nv-index").isEmpty)
    }

    @Test("H-8: no library of the TPM is loaded by --help, secret get, or verify without a TPM")
    func loadsNothing() async throws {
        let desk = try await TPMToolTests.Desk(sets: false)
        defer { desk.remove() }
        var tool = desk.tool
        try await tool.run("passcode", "set", input: TPMToolTests.right)
        try await tool.run("secret", "set", "name", input: "value")
        tool.variables["LD_DEBUG"] = "files"
        for (arguments, input) in [
            (["--help"], ""), (["secret", "get", "name"], ""), (["passcode", "verify"], TPMToolTests.right),
            (["passcode", "remove"], TPMToolTests.right),
        ] {
            let outcome = try await tool.run(arguments, input: Data(input.utf8))
            #expect(outcome.status == 0)
            #expect(outcome.errors.contains("libgcrypt") || arguments == ["--help"])
            for library in ["libtss2", "libfido2", "libsystemd", "libcrypto"] {
                #expect(!outcome.errors.contains(library), "\(arguments)")
            }
        }
    }
}
