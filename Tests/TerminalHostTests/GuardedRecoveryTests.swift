import PasscodeLock
import PortcullisCore
import PortcullisTesting
import SystemClock
import TerminalEmulator
import Testing

@testable import TerminalHost

/// Guarded programs whose passcode has a recovery passphrase.
@Suite("GuardedRun recovers a passcode (H-2)", .timeLimit(.minutes(5)))
struct GuardedRecoveryTests {
    /// A person at a terminal with a locked program, whose hardware takes two wrong passcodes.
    private struct Desk {
        let person: PersonTerminal
        let run: GuardedRun
        let service: PasscodeService
        let ending: Task<GuardEnding, any Error>

        /// With a seal it is locked from the start, and its program has not begun.
        init(isPlain: Bool = false, seal: RecordingSeal? = nil) async throws {
            let clock = SystemClock()
            let program = GuardedProgram(["sh", "-c", "echo in\"\"side; cat"], clock: clock)
            let phrase = SecretBytes(copying: "gravel umbrella".utf8)
            service = try PasscodeService(
                user: .device,
                backends: Backends(
                    secrets: InMemorySecretStore(),
                    sealer: FastPasscodeSealer(tryLimit: 2, recovery: phrase),
                    clock: clock
                ),
                session: program,
                configuration: PasscodeConfiguration(
                    appName: "Test",
                    throttle: .unlimited,
                    timeout: .never,
                    launch: seal == nil ? .resume : .always
                )
            )
            try await service.set(SecretBytes(copying: "835291".utf8))
            person = try PersonTerminal()
            let run = try GuardedRun(
                program,
                behind: service,
                on: person.terminal,
                options: GuardOptions(isPlain: isPlain, takesSignals: false),
                seal: seal
            )
            self.run = run
            ending = Task { try await run.run() }
            if seal == nil {
                try await person.wait(for: "inside")
                person.type("\u{1D}")
            }
            try await person.wait(for: "Enter Passcode")
        }

        func end() async throws {
            run.end()
            _ = try await ending.value
            #expect(person.attributes == person.firstAttributes)
        }
    }

    @Test("H-2: at the hardware's limit the passphrase leads back to the program, on a drawn screen")
    func drawn() async throws {
        let desk = try await Desk()
        // Not typed: a pad takes no digits while a try is being checked, and drawing tells no end of that.
        for _ in 1...2 {
            #expect(try await !desk.service.verify(SecretBytes(copying: "270954".utf8)).isRight)
        }
        desk.person.type("835291")
        try await desk.person.wait(for: "recovery passphrase")
        desk.person.type("\t\r")
        try await desk.person.wait(for: "Recovery Passphrase")
        desk.person.type("\t\r")
        try await desk.person.wait(for: "Enter recovery passphrase")
        #expect(!desk.person.screen.text.contains("inside"))
        desk.person.type("gravel umbrella\r")
        try await desk.person.wait(for: "Create a passcode")
        desk.person.type("417263")
        try await desk.person.wait(for: "Confirm passcode")
        desk.person.type("417263")
        try await desk.person.wait(for: "inside")
        #expect(try await desk.service.verify(SecretBytes(copying: "417263".utf8)).isRight)
        try await desk.end()
    }

    @Test("H-2, P-14: the lock key drops what was entered to recover, in the middle of it too")
    func lockKey() async throws {
        let desk = try await Desk()
        for isPassphraseEntered in [false, true] {
            desk.person.type("\t\r")
            try await desk.person.wait(for: "Recovery Passphrase")
            desk.person.type("\t\r")
            try await desk.person.wait(for: "Enter recovery passphrase")
            if isPassphraseEntered {
                desk.person.type("gravel umbrella\r")
                try await desk.person.wait(for: "Create a passcode")
            }
            desk.person.type("\u{1D}")
            try await desk.person.wait(for: "Enter Passcode")
            #expect(!desk.person.screen.text.contains("inside"))
        }
        desk.person.type("835291")
        try await desk.person.wait(for: "inside")
        #expect(try await desk.service.verify(SecretBytes(copying: "835291".utf8)).isRight)
        try await desk.end()
    }

    @Test("H-2, P-24: the lock key that is pressed while a recovery unlocks locks again")
    func lockKeyAtEnd() async throws {
        let seal = RecordingSeal()
        let desk = try await Desk(seal: seal)
        desk.person.type("\t\r")
        try await desk.person.wait(for: "Recovery Passphrase")
        desk.person.type("\t\r")
        try await desk.person.wait(for: "Enter recovery passphrase")
        desk.person.type("gravel umbrella\r")
        try await desk.person.wait(for: "Create a passcode")
        desk.person.type("417263")
        try await desk.person.wait(for: "Confirm passcode")
        seal.openings.close()
        desk.person.type("417263")
        await seal.openings.waitForHeld(1)
        desk.person.type("\u{1D}")
        try await BoundedWait.until("the lock key") { await desk.run.locksAgain }
        seal.openings.open()
        try await desk.person.wait(for: "Enter Passcode")
        #expect(!seal.isOpen && !desk.person.raw.contains("inside"))
        desk.person.type("417263")
        try await desk.person.wait(for: "inside")
        try await desk.end()
    }

    @Test("H-2: in lines of text too; a wrong passphrase and cancelling keep the program covered")
    func plain() async throws {
        let desk = try await Desk(isPlain: true)
        desk.person.type("forgot\r")
        try await desk.person.wait(for: "[recover] Recovery Passphrase")
        desk.person.type("recover\r")
        try await desk.person.wait(for: "Enter recovery passphrase")
        desk.person.type("another passphrase\r")
        try await desk.person.wait(for: "Create a passcode")
        desk.person.type("417263\r")
        try await desk.person.wait(for: "Confirm passcode")
        desk.person.type("417263\r")
        try await desk.person.wait(for: "Incorrect recovery passphrase")
        desk.person.type("/cancel\r")
        try await desk.person.wait("the lock screen again") {
            $0.text.contains(/Incorrect recovery passphrase[\s\S]*Enter Passcode/)
        }
        #expect(!desk.person.screen.text.contains("inside"))
        desk.person.type("835291\r")
        // In lines of text the program's earlier output is not shown again.
        try await desk.person.wait(for: GuardTexts().uncovered)
        try await desk.end()
    }
}
