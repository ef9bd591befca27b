import Foundation
import Glibc
import LinuxSystem
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Synchronization
import TerminalEmulator
import Testing

@testable import TerminalHost

/// Locks that come while a guarded run waits for its store.
@Suite("GuardedRun waits for its store", .timeLimit(.minutes(5)))
struct GuardedRaceTests {
    @Test("K-8: a lock during the set-up keeps the content shut, and its passcode opens it")
    func lockDuringSetUp() async throws {
        let store = GatedSecretStore(InMemorySecretStore(), writesOf: PasscodeNames.asked)
        let seal = RecordingSeal()
        let host = try await GuardedHost("echo in\"\"side; cat", in: store, seal: seal)
        try await host.person.wait(for: "Create a passcode")
        store.writes.close()
        host.person.type("835291")
        try await host.person.wait(for: "Confirm")
        host.person.type("835291")
        // The passcode is set, and the note that the person was asked is not written yet.
        await store.writes.waitForHeld(1)
        try await BoundedWait.until("the passcode to be known") { await host.run.session.timeout != nil }
        host.run.lock()
        try await host.person.wait(for: "Enter Passcode")
        store.writes.open()
        try await BoundedWait.until("the end of the set-up") { seal.tries == 1 }
        #expect(await host.run.isCovered)
        #expect(!seal.isOpen && !seal.isSealed)
        #expect(!host.person.raw.contains("inside"))
        host.person.type("835291")
        try await host.person.wait(for: "inside")
        #expect(seal.isOpen)
        host.person.type("\u{4}")
        #expect(try await host.end() == GuardEnding(status: 0))
    }

    @Test("P-25: a lock that comes with the end of the set-up is not undone by it")
    func lockWithEndOfSetUp() async throws {
        let host = try await GuardedHost("echo here; cat", passcode: "835291")
        try await host.person.wait(for: "here")
        await host.run.lockAndFinishSetUp()
        #expect(await host.run.isCovered)
        try await host.person.wait(for: "Enter Passcode")
        host.run.end()
        _ = try await host.end()
    }

    @Test("P-24: the lock screen that the lock key opens as the program is uncovered takes the person's keys")
    func lockKeyWithUncovering() async throws {
        let host = try await GuardedHost("echo here; cat", passcode: "835291")
        try await host.person.wait(for: "here")
        try await host.run.uncover { [person = host.person] in person.type("\u{1D}") }
        try await host.person.wait(for: "Enter Passcode")
        host.person.type("835291")
        try await host.person.wait("the program") { !$0.text.contains("Passcode") }
        host.person.type("and on\r")
        try await host.person.wait(for: "and on")
        host.run.end()
        _ = try await host.end()
    }

    @Test(
        "P-24: a run that is to lock while its first passcode is stored is locked when the set-up has ended",
        arguments: [false, true]
    )
    func lockWhileSettingUp(byHost: Bool) async throws {
        let names = byHost ? PasscodeNames.records : PasscodeNames.asked
        let store = GatedSecretStore(InMemorySecretStore(), writesOf: names)
        let host = try await GuardedHost("echo in\"\"side; cat", in: store)
        try await host.person.wait(for: "Create a passcode")
        store.writes.close()
        host.person.type("835291")
        try await host.person.wait(for: "Confirm")
        host.person.type("835291")
        await store.writes.waitForHeld(1)
        if byHost { host.run.lock() } else { host.person.type("\u{1D}") }
        try await BoundedWait.until("the lock") { await host.run.locksAgain }
        store.writes.open()
        try await host.person.wait(for: "Enter Passcode")
        #expect(!host.person.raw.contains("inside"))
        host.person.type("835291")
        try await host.person.wait(for: "inside")
        host.run.end()
        _ = try await host.end()
    }

    @Test("P-24: what a program writes before it ends is covered where the run is to lock after its set-up")
    func endWhileSettingUp() async throws {
        let go = FileManager.default.temporaryDirectory.appending(path: "go-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: go) }
        let store = GatedSecretStore(InMemorySecretStore(), writesOf: PasscodeNames.asked)
        let script = """
            echo in""side; until [ -e '\(go.path)' ]; do sleep 0.05; done; echo last""words; exit 3
            """
        let host = try await GuardedHost(script, wasAsked: true, in: store)
        try await host.person.wait(for: "inside")
        host.person.type("\u{1D}")
        try await host.person.wait(for: "Create a passcode")
        store.writes.close()
        host.person.type("835291")
        try await host.person.wait(for: "Confirm")
        host.person.type("835291")
        await store.writes.waitForHeld(1)
        host.person.type("\u{1D}")
        try await BoundedWait.until("the lock") { await host.run.locksAgain }
        try Data().write(to: go)
        try await BoundedWait.until("the program's end") {
            let (kept, status) = await (host.run.endedBehindLock, host.run.exitStatus)
            return kept != nil || status != nil
        }
        store.writes.open()
        try await host.person.wait("the lock screen, or the output") {
            $0.text.contains("Enter Passcode") || $0.text.contains("lastwords")
        }
        #expect(!host.person.raw.contains("lastwords"))
        host.person.type("835291")
        #expect(try await host.end() == GuardEnding(status: 3))
        try await host.person.wait(for: "lastwords")
    }

    @Test("P-36: a run whose input has ended makes no offer to set a passcode, because no answer can come")
    func endOfInputBeforeOffer() async throws {
        let output = try OutputPipe()
        let host = try await GuardedHost("echo here; sleep 600", wasAsked: true, writingTo: output)
        try await output.wait(for: "here")
        await host.run.endInputAndLook()
        #expect(await host.run.isProgramInFront)
        host.run.end()
        _ = try await host.end()
    }

    @Test("P-36: a program that ends while a run looks for a passcode leaves no offer to set one")
    func endWhileLooking() async throws {
        let go = FileManager.default.temporaryDirectory.appending(path: "go-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: go) }
        let store = GatedSecretStore(InMemorySecretStore(), writesOf: PasscodeNames.asked)
        let host = try await GuardedHost(
            "echo here; until [ -e '\(go.path)' ]; do sleep 0.05; done; exit 3",
            wasAsked: true,
            in: store
        )
        try await host.person.wait(for: "here")
        store.reads.close()
        host.person.type("\u{1D}")
        await store.reads.waitForHeld(1)
        try Data().write(to: go)
        try await BoundedWait.until("the program's end") { await host.run.endedBehindLock != nil }
        store.reads.open()
        try await BoundedWait.until("the end") { await host.run.exitStatus != nil }
        #expect(try await host.end() == GuardEnding(status: 3))
        #expect(!host.person.raw.contains("Create a passcode"))
        #expect(!host.person.raw.contains("\u{7}"), "no bell for a run that has ended")
    }

    @Test("P-25: a passcode that another process sets while a run looks for one locks that run")
    func passcodeSetMeanwhile() async throws {
        let store = InMemorySecretStore()
        let host = try await GuardedHost("echo here; cat", wasAsked: true, in: store)
        try await host.person.wait(for: "here")
        let other = try GuardedHost.other(on: store)
        try await host.run.look {
            _ = try await other.set(SecretBytes(copying: "835291".utf8))
        }
        try await host.person.wait(for: "Enter Passcode")
        host.run.end()
        _ = try await host.end()
    }

    @Test("P-36: a declined offer ends also when the person has been away for the timeout by then")
    func awayAtEndOfSetUp() async throws {
        let store = GatedSecretStore(InMemorySecretStore(), writesOf: PasscodeNames.asked)
        let host = try await GuardedHost("echo in\"\"side; cat", timeout: .immediately, in: store)
        try await host.person.wait(for: "Set up later")
        store.writes.close()
        host.person.type("\t\r")
        await store.writes.waitForHeld(1)
        host.person.type("\u{1B}[O")
        try await BoundedWait.until("the absence") { await host.run.isAway }
        store.writes.open()
        try await host.person.wait(for: "inside")
        host.person.type("and on\r")
        try await host.person.wait(for: "and on")
        host.run.end()
        _ = try await host.end()
    }

    @Test("guard: a timeout that cannot be recorded with a first passcode does not end a program that runs")
    func timeoutNotSet() async throws {
        let failing = FailingSecretStore(InMemorySecretStore())
        let store = GatedSecretStore(failing, writesOf: PasscodeNames.asked)
        let wanted = LockTimeout.after(.seconds(60))
        let host = try await GuardedHost("echo in\"\"side; cat", wasAsked: true, recording: wanted, in: store)
        try await host.person.wait(for: "inside")
        host.person.type("\u{1D}")
        try await host.person.wait(for: "Create a passcode")
        store.writes.close()
        host.person.type("835291")
        try await host.person.wait(for: "Confirm")
        host.person.type("835291")
        // The passcode is set. The writes that follow are that of the note and that of the timeout.
        await store.writes.waitForHeld(1)
        let error = SecretStoreError(code: .unavailable, message: "not now")
        for _ in 1...2 { failing.failNext(.write, with: error) }
        store.writes.open()
        try await host.person.wait(for: "inside")
        host.person.type("and on\r")
        try await host.person.wait(for: "and on")
        // It is recorded when the program is shown.
        try await BoundedWait.until("the timeout") { await host.run.session.timeout == wanted }
        host.run.end()
        _ = try await host.end()
    }

    @Test("guard: a store that answers late after the first set-up keeps no end of the run waiting")
    func endWhileRecording() async throws {
        let clock = ManualClock()
        let inner = GatedSecretStore(InMemorySecretStore(), writesOf: PasscodeNames.records)
        let store = GatedSecretStore(inner, writesOf: PasscodeNames.asked)
        let host = try await GuardedHost(
            "echo in\"\"side; cat",
            recording: .after(.seconds(60)),
            in: store,
            clock: clock
        )
        try await host.person.wait(for: "Create a passcode")
        store.writes.close()
        host.person.type("835291")
        try await host.person.wait(for: "Confirm")
        host.person.type("835291")
        await store.writes.waitForHeld(1)
        // The passcode is set. The next write of its record is that of the timeout.
        inner.writes.close()
        store.writes.open()
        await inner.writes.waitForHeld(1)
        host.run.end()
        // The clock must not move before the signal is handled, because a sleep of the machine would count.
        try await BoundedWait.until("the signal") { await host.run.exitStatus != nil }
        let hasEnded = Atomic(false)
        let ending = Task {
            let ending = await host.ending.value
            hasEnded.store(true, ordering: .releasing)
            return ending
        }
        // An ending run waits for the store, up to a limit.
        try await BoundedWait.until("the end", every: .milliseconds(5)) {
            await clock.advance(by: .seconds(1))
            return hasEnded.load(ordering: .acquiring)
        }
        #expect(try await ending.value.get() == GuardEnding(status: 128 + SIGHUP, hasStarted: false))
        #expect(!host.person.raw.contains("inside"))
        inner.writes.open()
    }

    @Test("P-32: a lock screen that comes after a stop during the read of the store takes the person's keys")
    func stopDuringRead() async {
        // The process stops itself.
        await #expect(processExitsWith: .success) {
            let base = InMemorySecretStore()
            let store = GatedSecretStore(base, writesOf: PasscodeNames.asked)
            let host = try await GuardedHost("echo here; cat", wasAsked: true, in: store)
            try await host.person.wait(for: "here")
            store.reads.close()
            host.person.type("\u{1D}")
            await store.reads.waitForHeld(1)
            _ = try await GuardedHost.other(on: base).set(SecretBytes(copying: "835291".utf8))
            let shell = Process()
            shell.executableURL = URL(fileURLWithPath: "/bin/sh")
            shell.arguments = ["-c", "while kill -CONT \(getpid()); do sleep 0.05; done"]
            try shell.run()
            // Events are handled in turn, so the stop is over when the second one is handled.
            await host.run.deliver(.signal(SIGTSTP))
            await host.run.deliver(.focus(false))
            try await BoundedWait.until("the stop to be over") { await host.run.isAway }
            shell.terminate()
            await host.run.deliver(.focus(true))
            store.reads.open()
            try await host.person.wait(for: "Enter Passcode")
            host.person.type("835291")
            try await host.person.wait("the program") { !$0.text.contains("Passcode") }
            host.person.type("and on\r")
            try await host.person.wait(for: "and on")
            host.run.end()
            _ = try await host.end()
        }
    }

    @Test("guard: an output that cannot be written to is an error before the program starts")
    func noOutput() async throws {
        let clock = ManualClock()
        let program = GuardedProgram(["true"], clock: clock)
        let output = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(output) }
        let run = try GuardedRun(
            program,
            behind: GuardedHost.other(on: InMemorySecretStore(), clock: clock),
            on: Terminal(input: -1, output: output),
            options: GuardOptions(takesSignals: false)
        )
        let error = await #expect(throws: TerminalHostError.self) { try await run.run() }
        #expect(error?.code == .outputFailed)
    }
}

extension GuardedRun {
    /// Covers the program and uncovers it again. The key comes when no screen reads any more.
    fileprivate func uncover(_ pressKey: @Sendable () -> Void) async throws {
        _ = await cover()
        await input.send(to: .none)
        pressKey()
        try await BoundedWait.until("the key") {
            DescriptorWait.isReady(terminal.input, atMost: .zero)
        }
        await hide()
    }

    /// Does what the lock key does. A passcode is set between the session's two reads of the store.
    fileprivate func look(_ setPasscode: @Sendable () async throws -> Void) async throws {
        _ = await cover()
        await session.lock()
        try await setPasscode()
        await session.passcodeChanged()
        await lookedForPasscode(isSet: true, byKey: true)
    }

    /// Does what the lock key does. The input ends while the store is read.
    fileprivate func endInputAndLook() async {
        _ = await cover()
        await inputEnded()
        await lookedForPasscode(isSet: false, byKey: true)
    }

    fileprivate func lockAndFinishSetUp() async {
        _ = await session.lockAtOnce()
        await take(.setUpFinished, from: screenNumber)
    }
}
