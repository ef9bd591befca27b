import PasscodeLock
import PortcullisCore
import PortcullisTesting
import TerminalEmulator
import Testing

@testable import TerminalHost

/// Guarded programs whose passcode has a recovery passphrase.
@Suite("GuardedRun recovers a passcode (H-2)", .timeLimit(.minutes(5)))
struct GuardedRecoveryTests {
    /// A person at a terminal with a locked program, whose hardware takes two wrong passcodes.
    ///
    /// With a seal it is locked from the start, and its program has not begun.
    private func locked(isPlain: Bool = false, seal: RecordingSeal? = nil) async throws -> GuardedHost {
        let phrase = SecretBytes(copying: "gravel umbrella".utf8)
        let host = try await GuardedHost(
            "echo in\"\"side; cat",
            passcode: "835291",
            sealer: FastPasscodeSealer(tryLimit: 2, recovery: phrase),
            throttle: .unlimited,
            launch: seal == nil ? .resume : .always,
            isPlain: isPlain,
            seal: seal
        )
        if seal == nil {
            try await host.person.wait(for: "inside")
            host.person.type("\u{1D}")
        }
        try await host.person.wait(for: "Enter Passcode")
        return host
    }

    /// Ends the program, and waits for that.
    private func end(_ host: GuardedHost) async throws {
        host.run.end()
        _ = try await host.end()
    }

    @Test("H-2: at the hardware's limit the passphrase leads back to the program, on a drawn screen")
    func drawn() async throws {
        let host = try await locked()
        // Not typed: a pad takes no digits while a try is being checked, and drawing tells no end of that.
        for _ in 1...2 {
            #expect(try await !host.service.verify(SecretBytes(copying: "270954".utf8)).isRight)
        }
        host.person.type("835291")
        try await host.person.wait(for: "recovery passphrase")
        host.person.type("\t\r")
        try await host.person.wait(for: "Recovery Passphrase")
        host.person.type("\t\r")
        try await host.person.wait(for: "Enter recovery passphrase")
        #expect(!host.person.screen.text.contains("inside"))
        host.person.type("gravel umbrella\r")
        try await host.person.wait(for: "Create a passcode")
        host.person.type("417263")
        try await host.person.wait(for: "Confirm passcode")
        host.person.type("417263")
        try await host.person.wait(for: "inside")
        #expect(try await host.service.verify(SecretBytes(copying: "417263".utf8)).isRight)
        try await end(host)
    }

    @Test("H-2, P-14: the lock key drops what was entered to recover, in the middle of it too")
    func lockKey() async throws {
        let host = try await locked()
        for isPassphraseEntered in [false, true] {
            host.person.type("\t\r")
            try await host.person.wait(for: "Recovery Passphrase")
            host.person.type("\t\r")
            try await host.person.wait(for: "Enter recovery passphrase")
            try await host.person.wait(for: "ctrl-] locks")
            if isPassphraseEntered {
                host.person.type("gravel umbrella\r")
                try await host.person.wait(for: "Create a passcode")
            }
            host.person.type("\u{1D}")
            try await host.person.wait("the lock screen, where the key does nothing") {
                $0.text.contains("Enter Passcode") && !$0.text.contains("locks")
            }
            #expect(!host.person.screen.text.contains("inside"))
        }
        host.person.type("835291")
        try await host.person.wait(for: "inside")
        #expect(try await host.service.verify(SecretBytes(copying: "835291".utf8)).isRight)
        try await end(host)
    }

    @Test("H-2, P-24: the lock key that is pressed while a recovery unlocks locks again")
    func lockKeyAtEnd() async throws {
        let seal = RecordingSeal()
        let host = try await locked(seal: seal)
        host.person.type("\t\r")
        try await host.person.wait(for: "Recovery Passphrase")
        host.person.type("\t\r")
        try await host.person.wait(for: "Enter recovery passphrase")
        host.person.type("gravel umbrella\r")
        try await host.person.wait(for: "Create a passcode")
        host.person.type("417263")
        try await host.person.wait(for: "Confirm passcode")
        seal.openings.close()
        host.person.type("417263")
        await seal.openings.waitForHeld(1)
        host.person.type("\u{1D}")
        try await BoundedWait.until("the lock key") { await host.run.locksAgain }
        seal.openings.open()
        try await host.person.wait(for: "Enter Passcode")
        #expect(!seal.isOpen && !host.person.raw.contains("inside"))
        host.person.type("417263")
        try await host.person.wait(for: "inside")
        try await end(host)
    }

    @Test("H-2: in lines of text too; a wrong passphrase and cancelling keep the program covered")
    func plain() async throws {
        let host = try await locked(isPlain: true)
        host.person.type("forgot\r")
        try await host.person.wait(for: "[recover] Recovery Passphrase")
        host.person.type("recover\r")
        try await host.person.wait(for: "Enter recovery passphrase")
        host.person.type("another passphrase\r")
        try await host.person.wait(for: "Create a passcode")
        host.person.type("417263\r")
        try await host.person.wait(for: "Confirm passcode")
        host.person.type("417263\r")
        try await host.person.wait(for: "Incorrect recovery passphrase")
        host.person.type("/cancel\r")
        try await host.person.wait("the lock screen again") {
            $0.text.contains(/Incorrect recovery passphrase[\s\S]*Enter Passcode/)
        }
        #expect(!host.person.screen.text.contains("inside"))
        host.person.type("835291\r")
        // In lines of text the program's earlier output is not shown again.
        try await host.person.wait(for: GuardTexts().uncovered)
        try await end(host)
    }
}
