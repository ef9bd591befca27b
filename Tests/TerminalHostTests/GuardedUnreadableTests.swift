import Glibc
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Synchronization
import TerminalEmulator
import Testing

@testable import TerminalHost

/// A store whose reads of whether a user was asked wait at a gate.
private struct SlowAskedStore: ForwardingSecretStore {
    let base: any SecretStore
    let asked = Gate()

    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        if name.namespace == PasscodeNames.asked { _ = await asked.pass() }
        return try await base.read(name)
    }
}

/// Guarded programs that are locked because the store cannot be read for a time.
@Suite("GuardedRun whose store cannot be read (P-5)", .timeLimit(.minutes(5)))
struct GuardedUnreadableTests {
    private let base = InMemorySecretStore()
    private let store: UnreadableStore

    init() { store = UnreadableStore(base: base, isReadable: true) }

    private func setReadable(_ isReadable: Bool) { store.isReadable.withLock { $0 = isReadable } }

    /// Waits until the run has begun. Events are handled in turn, the first ones once the run has begun.
    private func waitForBeginning(of host: GuardedHost) async throws {
        await host.run.deliver(.focus(false))
        try await BoundedWait.until("the beginning") { await host.run.isAway }
        await host.run.deliver(.focus(true))
        try await BoundedWait.until("the return") { await !host.run.isAway }
    }

    /// Types a passcode, so that the run reads the store again, and waits for the program.
    private func uncover(_ host: GuardedHost) async throws {
        host.person.type("835291")
        try await host.person.wait("the program") { !$0.text.contains("Passcode") }
        host.person.type("and on\r")
        try await host.person.wait(for: "and on")
        host.run.end()
        #expect(try await host.end() == GuardEnding(status: 128 + SIGHUP))
    }

    @Test("P-5: a store that could not be read for a time locks, and without a passcode the program goes on")
    func withoutPasscode() async throws {
        let host = try await GuardedHost("echo here; cat", wasAsked: true, in: store)
        try await host.person.wait(for: "here")
        setReadable(false)
        host.person.type("\u{1D}")
        try await host.person.wait(for: "Enter Passcode")
        setReadable(true)
        try await uncover(host)
    }

    @Test("P-5: without a passcode the program starts once the store can be read", arguments: [true, false])
    func atStart(wasAsked: Bool) async throws {
        if wasAsked { try await GuardedHost.other(on: base).noteAsked() }
        setReadable(false)
        let host = try await GuardedHost("echo in\"\"side; cat", in: store)
        try await host.person.wait(for: "Enter Passcode")
        try await waitForBeginning(of: host)
        setReadable(true)
        if !wasAsked {
            host.person.type("835291")
            try await host.person.wait(for: "Set up later")
            #expect(!host.person.raw.contains("inside"))
            host.person.type("\t\r")
            try await host.person.wait(for: "inside")
        }
        try await uncover(host)
        #expect(host.person.raw.contains("no passcode is set"))
    }

    @Test("P-5: a session that locks while the run reads the passcode's state does not start the program")
    func lockWhileReading() async throws {
        try await GuardedHost.other(on: base).noteAsked()
        setReadable(false)
        let slow = SlowAskedStore(base: store)
        let host = try await GuardedHost("echo in\"\"side; cat", in: slow)
        try await host.person.wait(for: "Enter Passcode")
        try await waitForBeginning(of: host)
        slow.asked.close()
        setReadable(true)
        host.person.type("835291")
        await slow.asked.waitForHeld(1)
        try await GuardedHost.other(on: base).set(SecretBytes(copying: "835291".utf8))
        try await BoundedWait.until("the passcode") { await host.run.session.timeout != nil }
        #expect(await host.run.session.lockAtOnce())
        let number = await host.run.screenNumber
        slow.asked.open()
        try await BoundedWait.until("the end of the read") { await host.run.screenNumber > number }
        #expect(await !host.run.hasStarted)
        host.person.type("835291")
        try await host.person.wait(for: "inside")
        host.run.end()
        #expect(try await host.end() == GuardEnding(status: 128 + SIGHUP))
    }

    @Test("P-9: a passcode that was found and is gone when the store can be read again ends the program")
    func removed() async throws {
        let host = try await GuardedHost("echo here; cat", passcode: "835291", in: store)
        try await host.person.wait(for: "here")
        setReadable(false)
        await host.run.session.passcodeChanged()
        try await host.person.wait(for: "Enter Passcode")
        try await GuardedHost.other(on: base).clearAll()
        setReadable(true)
        await host.run.session.passcodeChanged()
        #expect(try await host.end() == GuardEnding(status: 129, reason: .passcodeLost))
    }

    @Test("P-9: a passcode that is removed while the program is in front does not end the program later")
    func removedInFront() async throws {
        let host = try await GuardedHost("echo here; cat", passcode: "835291", in: store)
        try await host.person.wait(for: "here")
        _ = try await GuardedHost.other(on: base).remove(SecretBytes(copying: "835291".utf8))
        try await BoundedWait.until("the removal") { await host.run.session.timeout == nil }
        setReadable(false)
        await host.run.session.passcodeChanged()
        try await host.person.wait(for: "Enter Passcode")
        setReadable(true)
        try await uncover(host)
    }

    @Test("P-9: a passcode that is lost before the run has handled the lock does not uncover the program")
    func lostUnhandled() async throws {
        let host = try await GuardedHost("echo here; cat", passcode: "835291", in: base)
        try await host.person.wait(for: "here")
        try await host.run.lookAfterLoss { [base] in try await GuardedHost.other(on: base).clearAll() }
        #expect(await host.run.isCovered)
        host.run.end()
        #expect(try await host.end() == GuardEnding(status: 129, reason: .passcodeLost))
    }

    @Test("P-9: a passcode whose record could not be understood and that is then gone ends the program")
    func damaged() async throws {
        let host = try await GuardedHost("echo here; cat", wasAsked: true, in: base)
        try await host.person.wait(for: "here")
        try await base.write(
            SecretBytes(copying: "garbage".utf8),
            to: PasscodeNames.record(of: .device),
            accessibility: .afterFirstUnlockThisDeviceOnly
        )
        try await host.person.wait(for: "Enter Passcode")
        try await GuardedHost.other(on: base).clearAll()
        #expect(try await host.end() == GuardEnding(status: 129, reason: .passcodeLost))
    }
}

extension GuardedRun {
    /// Looks for a passcode behind a cover, once the session has locked and lost its passcode. No lock screen
    /// opens between, as if the run had not handled the lock yet.
    fileprivate func lookAfterLoss(_ remove: @Sendable () async throws -> Void) async throws {
        driver.stop()
        _ = await cover()
        _ = await session.lockAtOnce()
        try await remove()
        await session.passcodeChanged()
        await lookedForPasscode(isSet: false, byKey: false)
    }
}
