import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Synchronization
import TerminalEmulator
import Testing

@testable import TerminalHost

/// A store that signals no changes.
private struct SilentSecretStore: ForwardingSecretStore {
    let base: any SecretStore

    var capabilities: SecretStoreCapabilities { base.capabilities.subtracting(.signalsOwnChanges) }
    func changes(in namespace: SecretNamespace) -> AsyncStream<Void> { AsyncStream { $0.finish() } }
}

/// Guarded programs whose timeout is recorded anew by another process.
@Suite("GuardedRun follows the recorded timeout (P-21)", .timeLimit(.minutes(5)))
struct GuardedTimeoutTests {
    private let clock = ManualClock()
    private let store = InMemorySecretStore()

    private func record(_ timeout: LockTimeout, for host: GuardedHost) async throws {
        try await GuardedHost.other(on: store, clock: clock).setTimeout(timeout)
        try await BoundedWait.until("the run to follow") {
            await (host.run.session.timeout, host.run.timeout) == (timeout, timeout)
        }
    }

    @Test("P-21: a sleep of the machine is compared with the timeout that another process has recorded since")
    func asleep() async throws {
        let hour = LockTimeout.after(.seconds(3600))
        let host = try await GuardedHost(
            "echo here; cat",
            passcode: "835291",
            timeout: hour,
            in: store,
            clock: clock
        )
        try await host.person.wait(for: "here")
        try await record(.after(.seconds(5)), for: host)
        await clock.advance(by: .seconds(9))
        try await host.person.wait(for: "Enter Passcode")
        host.person.type("835291")
        try await host.person.wait("the program") { !$0.text.contains("Passcode") }
        // And back.
        try await record(hour, for: host)
        await clock.advance(by: .seconds(9))
        host.person.type("still open\r")
        try await host.person.wait(for: "still open")
        host.run.end()
        _ = try await host.end()
    }

    @Test("P-21: a timeout that is recorded during an absence counts, though the store gives no signal")
    func duringAbsence() async throws {
        let host = try await GuardedHost(
            "echo here; cat",
            passcode: "835291",
            timeout: .after(.seconds(3600)),
            in: SilentSecretStore(base: store),
            clock: clock
        )
        try await host.person.wait(for: "here")
        try await GuardedHost.other(on: store, clock: clock).setTimeout(.after(.seconds(5)))
        await clock.advance(by: .seconds(9))
        try await host.person.wait(for: "Enter Passcode")
        host.run.end()
        _ = try await host.end()
    }

    @Test("P-21: a passcode that another process sets while none is set brings its own timeout")
    func firstPasscode() async throws {
        let host = try await GuardedHost(
            "echo here; cat",
            wasAsked: true,
            timeout: .accountPreset,
            in: store,
            clock: clock
        )
        try await host.person.wait(for: "here")
        let other = try GuardedHost.other(on: store, clock: clock)
        _ = try await other.set(SecretBytes(copying: "835291".utf8))
        try await record(.after(.seconds(5)), for: host)
        await clock.advance(by: .seconds(9))
        try await host.person.wait(for: "Enter Passcode")
        host.run.end()
        _ = try await host.end()
    }

    @Test(
        "P-21: the wanted timeout is recorded for a passcode that another process sets first; its later change stays"
    )
    func wantedTimeout() async throws {
        let host = try await GuardedHost(
            "echo here; cat",
            wasAsked: true,
            timeout: .accountPreset,
            recording: .after(.seconds(90)),
            in: store,
            clock: clock
        )
        try await host.person.wait(for: "here")
        let other = try GuardedHost.other(on: store, clock: clock)
        _ = try await other.set(SecretBytes(copying: "835291".utf8))
        try await BoundedWait.until("the wanted timeout") {
            await host.run.timeout == .after(.seconds(90))
        }
        #expect(try await other.status().timeout == .after(.seconds(90)))
        try await record(.after(.seconds(5)), for: host)
        host.run.end()
        _ = try await host.end()
    }

    @Test("P-23: each key begins the idle time anew")
    func idle() async throws {
        let host = try await GuardedHost(
            "echo here; cat",
            passcode: "835291",
            in: store,
            idleTimeout: .seconds(10),
            clock: clock
        )
        try await host.person.wait(for: "here")
        for _ in 1...6 { await clock.advance(by: .seconds(1)) }
        host.person.type("typed\r")
        try await host.person.wait(for: "typed")
        for _ in 1...6 { await clock.advance(by: .seconds(1)) }
        #expect(await !host.run.session.state.isLocked)
        for _ in 1...5 { await clock.advance(by: .seconds(1)) }
        try await host.person.wait(for: "Enter Passcode")
        host.run.end()
        _ = try await host.end()
    }

    @Test(
        "P-23: a window that is out of focus locks after the idle time, and a return after it opens nothing",
        arguments: [LockTimeout.never, .after(.seconds(3600))]
    )
    func idleOutOfFocus(_ timeout: LockTimeout) async throws {
        let host = try await GuardedHost(
            "echo here; cat",
            passcode: "835291",
            timeout: timeout,
            in: store,
            idleTimeout: .seconds(10),
            clock: clock
        )
        try await host.person.wait(for: "here")
        // A key begins the idle time anew.
        for second in 1...6 {
            await clock.advance(by: .seconds(1))
            if second == 3 {
                host.person.type("typed\r")
                try await host.person.wait(for: "typed")
            }
        }
        host.person.type("\u{1B}[O")
        try await BoundedWait.until("the absence") { await host.run.isAway }
        for _ in 1...6 {
            #expect(await !host.run.session.state.isLocked)
            await clock.advance(by: .seconds(1))
        }
        await clock.advance(by: .seconds(1))
        try await host.person.wait(for: "Enter Passcode")
        host.person.type("\u{1B}[I835291")
        try await host.person.wait("the program") { !$0.text.contains("Passcode") }
        host.run.end()
        _ = try await host.end()
    }

    @Test(
        "P-23: the idle time goes on while the focus goes and comes back, with no key typed",
        arguments: [2, 8]
    )
    func idleWithFlickeringFocus(_ seconds: Int) async throws {
        let host = try await GuardedHost(
            "echo here; cat",
            passcode: "835291",
            timeout: .after(.seconds(3600)),
            in: store,
            idleTimeout: .seconds(10),
            clock: clock
        )
        try await host.person.wait(for: "here")
        host.person.type("typed\r")
        try await host.person.wait(for: "typed")
        // The focus goes and comes back once, or every two seconds.
        for second in 1...9 {
            await clock.advance(by: .seconds(1))
            guard second <= seconds else { continue }
            host.person.type(second % 2 == 1 ? "\u{1B}[O" : "\u{1B}[I")
            try await BoundedWait.until("the focus") { await host.run.isAway == (second % 2 == 1) }
        }
        #expect(await !host.run.session.state.isLocked)
        await clock.advance(by: .seconds(1))
        try await host.person.wait(for: "Enter Passcode")
        host.person.type("\u{1B}[I835291")
        try await host.person.wait("the program") { !$0.text.contains("Passcode") }
        host.run.end()
        _ = try await host.end()
    }

    @Test("P-23: without a passcode nothing covers the program after the idle time")
    func idleWithoutPasscode() async throws {
        let host = try await GuardedHost(
            "echo here; cat",
            wasAsked: true,
            in: store,
            idleTimeout: .seconds(10),
            clock: clock
        )
        try await host.person.wait(for: "here")
        for _ in 0..<3 {
            await clock.advance(by: .seconds(10))
            #expect(await !host.run.isCovered)
        }
        host.person.type("typed\r")
        try await host.person.wait(for: "typed")
        host.run.end()
        _ = try await host.end()
    }

    @Test("P-21: without a passcode an absence covers nothing for good, and a passcode set meanwhile counts")
    func awayWithoutPasscode() async throws {
        let recording = RecordingSecretStore(store)
        let limit = LockTimeout.after(.seconds(10))
        let host = try await GuardedHost(
            "echo here; cat",
            wasAsked: true,
            timeout: limit,
            in: recording,
            clock: clock
        )
        try await host.person.wait(for: "here")
        host.person.type("\u{1B}[O")
        try await BoundedWait.until("the absence") { await host.run.isAway }
        await clock.advance(by: .seconds(12))
        try await Task.sleep(for: .milliseconds(300))
        try await BoundedWait.until("the program") { await !host.run.isCovered }
        let reads = recording.count(of: .read)
        try await Task.sleep(for: .milliseconds(300))
        #expect(recording.count(of: .read) == reads, "it looks once")
        #expect(await !host.run.isCovered)
        let other = try PasscodeService(
            user: .device,
            backends: Backends(secrets: store, sealer: FastPasscodeSealer(), clock: clock),
            session: InMemorySession(),
            configuration: PasscodeConfiguration(appName: "Other", timeout: limit)
        )
        try await other.set(SecretBytes(copying: "835291".utf8))
        try await host.person.wait(for: "Enter Passcode")
        host.person.type("\u{1B}[I835291")
        try await host.person.wait("the program") { !$0.text.contains("Passcode") }
        host.run.end()
        _ = try await host.end()
    }

    @Test("P-21: a timeout that could not be recorded at the start is recorded before the program is started")
    func recordedLate() async throws {
        let failing = UnreadableStore(base: store)
        let other = try GuardedHost.other(on: store, clock: clock)
        try await other.set(SecretBytes(copying: "835291".utf8))
        let host = try await GuardedHost(
            "echo here; cat",
            recording: .after(.seconds(10)),
            in: failing,
            clock: clock
        )
        try await host.person.wait(for: "Enter Passcode")
        failing.isReadable.withLock { $0 = true }
        host.person.type("835291")
        try await host.person.wait(for: "here")
        #expect(try await other.status().timeout == .after(.seconds(10)))
        #expect(await host.run.timeout == .after(.seconds(10)))
        host.run.end()
        _ = try await host.end()
    }

    @Test("P-21: an absence that has begun ends in a lock after the timeout that is recorded meanwhile")
    func unfocused() async throws {
        let host = try await GuardedHost(
            "echo here; cat",
            passcode: "835291",
            timeout: .after(.seconds(3600)),
            in: store,
            clock: clock
        )
        try await host.person.wait(for: "here")
        host.person.type("\u{1B}[O")
        try await BoundedWait.until("the absence") { await host.run.isAway }
        try await record(.after(.seconds(10)), for: host)
        // In steps that are too short for a sleep of the machine.
        for second in 1...10 {
            await clock.advance(by: .seconds(1))
            #expect(await host.run.input.lookAtClock() == 0)
            if second < 10 { #expect(await !host.run.session.state.isLocked) }
        }
        try await host.person.wait(for: "Enter Passcode")
        host.run.end()
        _ = try await host.end()
    }

    @Test("P-20: an absence that goes on in the background counts from its beginning")
    func absenceInBackground() async throws {
        let gated = GatedSecretStore(store, writesOf: PasscodeNames.records)
        let host = try await GuardedHost(
            "echo here; cat",
            passcode: "835291",
            timeout: .after(.seconds(60)),
            in: gated,
            clock: clock
        )
        try await host.person.wait(for: "here")
        // The time passes while the run waits for the store. Neither part is as long as the timeout.
        gated.reads.close()
        let run = host.run
        let behind = Task { await run.goBehind(after: .seconds(57)) }
        await gated.reads.waitForHeld(1)
        try await BoundedWait.until("the lock") {
            await clock.advance(by: .seconds(1))
            return await run.session.state.isLocked
        }
        try await host.person.wait(for: "Enter Passcode")
        gated.reads.open()
        await behind.value
        host.run.end()
        _ = try await host.end()
    }

    @Test(
        "P-20: lost focus counts also right after Alt with a key that looks like the beginning of a reply",
        arguments: ["]", "P", "X", "^", "_"]
    )
    func unfocusedAfterAlt(key: String) async throws {
        let host = try await GuardedHost(
            "echo here; cat",
            passcode: "835291",
            timeout: .after(.seconds(1)),
            in: store,
            clock: clock
        )
        try await host.person.wait(for: "here")
        host.person.type("\u{1B}\(key)\u{1B}[O")
        try await BoundedWait.until("the absence") { await host.run.isAway }
        await clock.advance(by: .seconds(1))
        try await host.person.wait(for: "Enter Passcode")
        host.run.end()
        _ = try await host.end()
    }
}
