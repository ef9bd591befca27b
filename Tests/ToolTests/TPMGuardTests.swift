import Foundation
import SoftwareTPM
import TerminalEmulator
import Testing

/// `guard` over a passcode that a TPM has.
@Suite(
    "portcullis guard with a TPM (H-1, H-2)",
    .enabled(if: SoftwareTPM.isInstalled, "swtpm, tpm2-tools and libtss2-tctildr0 are not installed"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct TPMGuardTests {
    private func guarding(_ desk: TPMToolTests.Desk, way: [String]? = nil) throws -> GuardedRun {
        try GuardedRun(
            ["guard", "--store", desk.tool.store.path, "--key-file", desk.tool.keyFile.path]
                + (way ?? desk.way) + ["--timeout", "never", "--", "sh", "-c", "echo in\"\"side; cat"]
        )
    }

    @Test(
        "H-3: guard does not start where nothing could unlock it, as the record names no chip of this machine",
        .enabled(if: SoftwareTPM.isOwn, "the record names the machine's own chip")
    )
    func unnamedChip() async throws {
        let desk = try await TPMToolTests.Desk()
        defer { desk.remove() }
        let run = try guarding(desk, way: [])
        #expect(try await run.waitForEnd() == 125)
        #expect(run.screen.text.contains("TPM") && !run.screen.text.contains("inside"))
    }

    @Test("H-1, H-2: guard opens the record with the chip that is named, and recovers it at the limit")
    func recovers() async throws {
        let desk = try await TPMToolTests.Desk(limit: 2)
        defer { desk.remove() }
        let run = try guarding(desk)
        try await run.waitForText("inside")
        try await run.lock()
        try await run.unlock("834912")
        try await run.waitForText("inside")
        try await run.lock()
        for count in 1...2 {
            run.type("270954")
            try await run.wait("the entry to be empty") {
                $0.text.contains("Incorrect") && $0.text.contains("○  ○  ○  ○  ○  ○")
            }
            #expect(try await desk.counted() == count)
        }
        run.type("834912")
        try await run.waitForText("refuses all of them")
        #expect(!run.screen.text.contains("inside"))
        run.type("\t\r")
        try await run.waitForText("Recovery Passphrase")
        run.type("\t\r")
        try await run.waitForText("Enter recovery passphrase")
        run.type(TPMToolTests.passphrase + "\r")
        try await run.waitForText("Create a passcode")
        run.type("619283")
        try await run.waitForText("Confirm passcode")
        run.type("619283")
        try await run.waitForText("inside")
        run.type("\u{4}")
        #expect(try await run.waitForEnd() == 0)
        #expect(try await desk.verify("619283\n").status == 0)
        #expect(try await desk.verify(TPMToolTests.right).status == 1)
    }

    @Test(
        "H-3: a chip that is gone is told on the lock screen, and nothing is counted",
        .enabled(if: SoftwareTPM.isOwn, "the chip cannot be turned off")
    )
    func missing() async throws {
        let desk = try await TPMToolTests.Desk(recovery: false)
        defer { desk.remove() }
        let run = try guarding(desk)
        try await run.waitForText("inside")
        try await run.lock()
        desk.chip.turnOff()
        run.type("834912")
        try await run.waitForText("cannot be found")
        try desk.chip.turnOn()
        run.type("\t\r")
        try await run.waitForText("Logout")
        #expect(!run.screen.text.contains("Recovery"), "there is no passphrase")
        run.type("\u{1B}")
        try await run.wait("the question to go") { !$0.text.contains("Logout") }
        try await run.unlock("834912")
        try await run.waitForText("inside")
        #expect(try await desk.counted() == 0)
        run.type("\u{4}")
        #expect(try await run.waitForEnd() == 0)
    }
}
