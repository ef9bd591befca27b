import Glibc
import LinuxSystem
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Synchronization
import SystemClock
import TerminalEmulator
import Testing

@testable import TerminalHost

/// Programs behind locks, on terminals of their own, in one process.
@Suite("GuardedRun (P-20, P-24)", .timeLimit(.minutes(5)))
struct GuardedRunTests {
    @Test("two programs in one process are locked and opened each by its own passcode")
    func two() async throws {
        let first = try await GuardedHost("echo one is here; cat", passcode: "835291")
        let second = try await GuardedHost("echo two is here; cat", passcode: "417263")
        try await first.person.wait(for: "one is here")
        try await second.person.wait(for: "two is here")
        first.person.type("\u{1D}")
        try await first.person.wait(for: "Enter Passcode")
        second.person.type("still open\r")
        try await second.person.wait(for: "still open")
        second.run.lock()
        try await second.person.wait(for: "Enter Passcode")
        // The other one's passcode.
        second.person.type("835291")
        try await second.person.wait(for: "Incorrect")
        first.person.type("835291")
        try await first.person.wait("the program") { !$0.text.contains("Passcode") }
        #expect(second.person.screen.text.contains("Passcode"))
        second.person.type("417263")
        try await second.person.wait("the program") { !$0.text.contains("Passcode") }
        first.person.type("\u{4}")
        #expect(try await first.end() == GuardEnding(status: 0))
        second.person.type("and goes on\r")
        try await second.person.wait(for: "and goes on")
        second.person.type("\u{4}")
        #expect(try await second.end() == GuardEnding(status: 0))
    }

    @Test(
        "P-14: the lock key that is pressed while the passcode is checked locks again, with nothing shown between"
    )
    func lockKeyDuringCheck() async throws {
        let host = try await GuardedHost("while :; do echo tick; sleep 0.01; done", passcode: "835291")
        try await host.person.wait(for: "tick")
        host.person.type("\u{1D}")
        try await host.person.wait(for: "Enter Passcode")
        let (shown, generation) = (host.person.raw.count, await host.run.session.state.generation)
        // As after a slip of the finger: the passcode is complete, and the lock key comes at once.
        host.person.type("835291\u{1D}")
        try await BoundedWait.until("the second lock") {
            await host.run.session.state.generation > generation
        }
        try await host.person.wait("an empty entry") { !$0.text.contains("●") }
        #expect(await host.run.session.state.isLocked)
        #expect(!host.person.raw.dropFirst(shown).contains("tick"))
        host.person.type("835291")
        try await host.person.wait("the program") { $0.text.contains("tick") }
        host.run.end()
        _ = try await host.end()
    }

    @Test("a run ends with the program's status, and nothing of it is left; then comes another one")
    func again() async throws {
        let store = InMemorySecretStore()
        for status in [Int32(3), 7] {
            let left = try await traces(of: status, in: store)
            try await BoundedWait.until("the threads to end", every: .milliseconds(5)) {
                left.allSatisfy(\.isGone)
            }
        }
    }

    /// All that has a thread or a descriptor.
    private func traces(of status: Int32, in store: InMemorySecretStore) async throws -> [Trace] {
        let host = try await GuardedHost(
            "echo ready; read line; exit \(status)",
            passcode: status == 3 ? "835291" : nil,
            in: store
        )
        try await host.person.wait(for: "ready")
        host.person.type("line\r")
        #expect(try await host.end().status == status)
        return await traces(of: host.run)
    }

    private func traces(of run: GuardedRun) async -> [Trace] {
        await [Trace(run.input), Trace(run.output), Trace(run.pseudo), Trace(run.executor), Trace(run)]
    }

    @Test("of a run that ends behind a screen nothing is left either", arguments: [false, true])
    func behindScreen(isSet: Bool) async throws {
        func end() async throws -> [Trace] {
            let host = try await GuardedHost("echo here; cat", passcode: isSet ? "835291" : nil)
            if isSet {
                try await host.person.wait(for: "here")
                host.person.type("\u{1D}")
            }
            try await host.person.wait(for: isSet ? "Enter Passcode" : "Create a passcode")
            host.run.end()
            #expect(try await host.end().status == 128 + SIGHUP)
            return await traces(of: host.run)
        }
        let left = try await end()
        try await BoundedWait.until("the threads to end", every: .milliseconds(5)) {
            left.allSatisfy(\.isGone)
        }
    }

    /// Whether an object is still there.
    private final class Trace: Sendable {
        private struct Weak: Sendable {
            weak var object: (any AnyObject & Sendable)?
        }

        private let object: Mutex<Weak>

        init(_ object: any AnyObject & Sendable) { self.object = Mutex(Weak(object: object)) }

        var isGone: Bool { object.withLock { $0.object == nil } }
    }

    @Test("the host ends a run, or cancels its task, and the program is hung up", arguments: [false, true])
    func ended(isCancelled: Bool) async throws {
        let host = try await GuardedHost("echo here; cat", passcode: "835291")
        try await host.person.wait(for: "here")
        if isCancelled {
            // Through the task that runs it.
            host.ending.cancel()
        } else {
            host.run.end()
        }
        #expect(try await host.end() == GuardEnding(status: 128 + SIGHUP))
    }

    @Test("P-34: a run ends when the host signs out, in front of the program, before it and in the set-up")
    func signedOutByHost() async throws {
        let open = try await GuardedHost("echo here; cat", passcode: "835291")
        try await open.person.wait(for: "here")
        await open.program.signOut()
        #expect(try await open.end() == GuardEnding(status: 129, reason: .loggedOut))
        let offered = try await GuardedHost("echo here; cat")
        try await offered.person.wait(for: "Create a passcode")
        await offered.program.signOut()
        // Set up later.
        offered.person.type("\t\r")
        let ending = try await offered.end()
        #expect(ending == GuardEnding(status: 129, reason: .loggedOut, hasStarted: false))
        #expect(!offered.person.raw.contains("here"), "the program was not started")
    }

    @Test("a run is for once")
    func twice() async throws {
        let host = try await GuardedHost("echo here; cat", passcode: "835291")
        try await host.person.wait(for: "here")
        let error = await #expect(throws: TerminalHostError.self) { try await host.run.run() }
        #expect(error?.code == .runBefore)
        host.run.end()
        _ = try await host.end()
    }

    @Test("the program has the host's variables, and learns of another size")
    func environment() async throws {
        let host = try await GuardedHost(
            "trap 'stty size' WINCH; echo \"got $HOSTED\"; while :; do sleep 0.01; done",
            passcode: "835291",
            adding: ["HOSTED": "this"]
        )
        try await host.person.wait(for: "got this")
        host.person.resize(columns: 60, rows: 20)
        host.run.terminalWasResized()
        try await host.person.wait(for: "20 60")
        host.run.end()
        _ = try await host.end()
    }

    @Test("P-30: a terminal that was small for a moment shows the whole lock screen again")
    func smallForAMoment() async throws {
        let host = try await GuardedHost("echo here; cat", passcode: "835291")
        try await host.person.wait(for: "here")
        host.person.type("\u{1D}")
        try await host.person.wait(for: "Enter Passcode")
        host.person.resize(columns: 2, rows: 2)
        host.person.resize(columns: 80, rows: 24)
        #expect(!host.person.screen.text.contains("Enter Passcode"))
        host.run.terminalWasResized()
        try await host.person.wait(for: "Enter Passcode")
        host.run.end()
        _ = try await host.end()
    }

    @Test(
        "P-20: after a stop it asks again for the reports that it needs",
        arguments: [false, true],
        [false, true]
    )
    func continued(isCovered: Bool, isPlain: Bool) async throws {
        let clock = ManualClock()
        let host = try await GuardedHost("echo here; cat", passcode: "835291", clock: clock, isPlain: isPlain)
        try await host.person.wait(for: "here")
        // Output is followed by a request, too.
        await clock.advance(by: FocusRenewal.interval)
        try await BoundedWait.until("the request after the output") {
            host.person.raw.contains(ScreenModes.focusReportsAgain)
        }
        if isCovered {
            host.person.type("\u{1D}")
            try await host.person.wait(for: "Enter Passcode")
        }
        // As another program leaves the terminal.
        host.person.show("\u{1B}[?1004l\u{1B}[?1000l\u{1B}[?1006l\u{1B}[?2004l")
        await host.run.deliver(.signal(SIGCONT))
        let wanted: Set<Int> = isCovered && !isPlain ? [1000, 1004, 1006, 2004] : [1004]
        try await BoundedWait.until("the reports", every: .milliseconds(5)) {
            await clock.advance(by: .milliseconds(50))
            return host.person.screen.modes.isSuperset(of: wanted)
        }
        // The redraw after the signal may still wait for the clock. Events are handled in turn.
        await host.run.deliver(.focus(false))
        try await BoundedWait.until("the next event", every: .milliseconds(5)) {
            await clock.advance(by: .milliseconds(50))
            return await host.run.isAway
        }
        host.run.end()
        _ = try await host.end()
    }

    @Test("P-20: in lines mode an enlarged terminal is cleared again while the program is covered")
    func enlargedLines() async throws {
        let host = try await GuardedHost("echo secret content; cat", passcode: "835291", isPlain: true)
        try await host.person.wait(for: "secret content")
        host.person.type("\u{1D}")
        try await host.person.wait(for: "Enter Passcode")
        // A multiplexer shows earlier lines of its own when its window grows.
        host.person.show("secret content")
        host.person.resize(columns: 100, rows: 40)
        host.run.terminalWasResized()
        try await host.person.wait("the content to go") {
            !$0.text.contains("secret content") && $0.text.contains("Enter Passcode")
        }
        host.run.end()
        _ = try await host.end()
    }

    @Test("a program that is not there is an error, and the terminal is as it was")
    func missing() async throws {
        let clock = SystemClock()
        let program = GuardedProgram(["/nowhere/at/all"], clock: clock)
        let service = try PasscodeService(
            user: .device,
            backends: Backends(secrets: InMemorySecretStore(), sealer: FastPasscodeSealer(), clock: clock),
            session: program,
            configuration: PasscodeConfiguration(appName: "Test")
        )
        _ = try await service.set(SecretBytes(copying: "835291".utf8))
        let person = try PersonTerminal()
        let run = try GuardedRun(
            program,
            behind: service,
            on: person.terminal,
            options: GuardOptions(takesSignals: false)
        )
        let error = await #expect(throws: TerminalHostError.self) { try await run.run() }
        #expect(error?.code == .cannotRun)
        #expect(person.attributes == person.firstAttributes)
    }

    @Test("a signal that is ignored, as under nohup, does not end a run whose input is a pipe")
    func ignoredSignal() async {
        // In a process of its own, because the signal's handling belongs to the process.
        await #expect(processExitsWith: .success) {
            signal(SIGHUP, SIG_IGN)
            let service = try GuardedHost.other(on: InMemorySecretStore())
            try await service.noteAsked()
            let input = try #require(Descriptors.makePipe())
            let output = try OutputPipe()
            let run = try GuardedRun(
                GuardedProgram(["cat"], clock: SystemClock()),
                behind: service,
                on: Terminal(input: input.read, output: output.write)
            )
            let ending = Task { try await run.run() }
            Descriptors.write(Array("before\n".utf8), to: input.write)
            try await output.wait(for: "before")
            kill(getpid(), SIGHUP)
            Descriptors.write(Array("after\n".utf8), to: input.write)
            try await output.wait(for: "after")
            close(input.write)
            #expect(try await ending.value == GuardEnding(status: 0))
            close(input.read)
        }
    }

    @Test("K-8: what is sealed opens with the passcode, before the program is seen, and shuts with the lock")
    func sealed() async throws {
        let seal = RecordingSeal()
        let host = try await GuardedHost("echo in\"\"side; cat", seal: seal)
        try await host.person.wait(for: "Create a passcode")
        #expect(!seal.isOpen)
        host.person.type("835291")
        try await host.person.wait(for: "Confirm")
        host.person.type("835291")
        try await host.person.wait(for: "inside")
        #expect(seal.isOpen)
        host.person.type("\u{1D}")
        try await host.person.wait(for: "Enter Passcode")
        #expect(!seal.isOpen)
        seal.refuses = true
        host.person.type("835291")
        try await host.person.wait(for: "does not open what is sealed")
        #expect(!seal.isOpen && !host.person.screen.text.contains("inside"))
        seal.refuses = false
        host.person.type("835291")
        try await host.person.wait(for: "inside")
        #expect(seal.isOpen)
        host.person.type("\u{4}")
        #expect(try await host.end().status == 0)
        #expect(!seal.isOpen)
    }
}
