import LockScreens
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@Suite("When a prompt or a question to the account is over (P-14, P-33, P-51)", .timeLimit(.minutes(5)))
@MainActor
struct AppLockPromptTests {
    private let bench = Bench()
    private let biometrics = PatientBiometrics()
    private let right = "834912"

    private func locked() async throws -> AppLock {
        let service = try PasscodeService(
            user: .ada,
            backends: Backends(
                secrets: InMemorySecretStore(bench.storage),
                biometrics: biometrics,
                sealer: bench.sealer,
                clock: bench.clock
            ),
            session: bench.host,
            configuration: bench.configuration
        )
        try await service.set(SecretBytes(right))
        _ = try await service.enableBiometrics(SecretBytes(right))
        biometrics.gate.close()
        let lock = AppLock(session: LockSession(service: service))
        await lock.start()
        await lock.lock()
        await biometrics.gate.waitForHeld(1)
        return lock
    }

    private func expectPromptGone(_ comment: String) async throws {
        try await BoundedWait.until(comment) { biometrics.gate.heldCount == 0 }
    }

    @Test("P-14: a prompt goes with the screen that is left, and another one appears on return")
    func left() async throws {
        let lock = try await locked()
        await lock.phaseChanged(to: .background)
        try await expectPromptGone("the prompt to go")
        try await BoundedWait.until("the screen to know") {
            lock.lockScreen?.content.controls.first { $0.id == .biometrics }?.isEnabled == true
        }
        await lock.phaseChanged(to: .active)
        await biometrics.gate.waitForHeld(1)
        #expect(lock.cover == .lockScreen)
    }

    @Test("P-14: a prompt goes when the passcode was entered beside it, and when there is none any more")
    func unlocked() async throws {
        for isRemoved in [true, false] {
            let lock = try await locked()
            if isRemoved {
                try await bench.service().clearAll()
            } else {
                for digit in right { lock.lockScreen?.send(.digit(digit.wholeNumberValue!)) }
            }
            try await BoundedWait.until("the lock to open") { lock.cover == .none }
            try await expectPromptGone("the prompt to go")
            try await bench.service().clearAll()
        }
    }

    @Test("P-33: a prompt goes when the person logs out, before the host has signed out")
    func loggedOut() async throws {
        let lock = try await locked()
        let signingOut = Gate()
        signingOut.close()
        await bench.host.onSignOut { _ = await signingOut.pass() }
        lock.lockScreen?.send(.activate(.forgot))
        lock.lockScreen?.send(.activate(.logOut))
        await signingOut.waitForHeld(1)
        try await expectPromptGone("the prompt to go")
        signingOut.open()
        try await BoundedWait.until("the end") { lock.cover == .none }
    }

    @Test("P-23: an idle lock covers although the authenticator has not answered the lock before it")
    func slowAuthenticator() async throws {
        var bench = bench
        bench.configuration.idleTimeout = .seconds(3)
        let service = try bench.service()
        try await service.set(SecretBytes(right))
        let lock = AppLock(session: LockSession(service: service))
        await lock.start()
        let asked = Gate()
        asked.close()
        await bench.biometrics.onNextLook { _ = await asked.pass() }
        await bench.clock.advance(by: .seconds(3))
        try await BoundedWait.until("the first lock") { lock.cover == .lockScreen }
        await asked.waitForHeld(1)
        for digit in right { lock.lockScreen?.send(.digit(digit.wholeNumberValue!)) }
        try await BoundedWait.until("the lock to open") { lock.cover == .none }
        await bench.clock.advance(by: .seconds(3))
        try await BoundedWait.until("the second lock") { lock.cover == .lockScreen }
        #expect(asked.heldCount == 1)
        asked.open()
    }

    @Test("P-14: the host is told that a proof was refused, so that it can undo what it prepared")
    func refusedProof() async throws {
        let service = try bench.service()
        try await service.set(SecretBytes(right))
        let preparing = Gate()
        let told = Mutex<[Bool]>([])
        preparing.close()
        let lock = AppLock(
            session: LockSession(service: service),
            settled: { _, isUnlocked in told.withLock { $0.append(isUnlocked) } }
        ) { _, _ in
            _ = await preparing.pass()
            return .admitted
        }
        await lock.start()
        await lock.lock()
        func type() { for digit in right { lock.lockScreen?.send(.digit(digit.wholeNumberValue!)) } }
        type()
        await preparing.waitForHeld(1)
        await lock.phaseChanged(to: .background)
        preparing.open()
        try await BoundedWait.until("the refusal") { told.withLock { $0 } == [false] }
        await lock.phaseChanged(to: .active)
        #expect(lock.cover == .lockScreen)
        try await BoundedWait.until("the screen to be free") { lock.lockScreen?.content.isBusy == false }
        type()
        try await BoundedWait.until("the lock to open") { lock.cover == .none }
        #expect(told.withLock { $0 } == [false, true])
    }

    @Test("P-31: a lock screen that is shown gets the format of a passcode that was set elsewhere")
    func otherFormat() async throws {
        let service = try bench.service()
        try await service.set(SecretBytes(right))
        let lock = AppLock(session: LockSession(service: service))
        await lock.start()
        await lock.lock()
        #expect(lock.lockScreen?.content.entry?.style == .dots(count: 6))
        var other = bench
        other.configuration.format = .digits(4)
        _ = try await other.service().change(from: SecretBytes(right), to: SecretBytes("7391"))
        try await BoundedWait.until("the other format") {
            lock.lockScreen?.content.entry?.style == .dots(count: 4)
        }
        #expect(lock.cover == .lockScreen)
    }

    @Test("P-9: a passcode that is removed elsewhere while a wrong one is checked ends the lock screen")
    func removedDuringTry() async throws {
        let service = try bench.service()
        try await service.set(SecretBytes(right))
        let lock = AppLock(session: LockSession(service: service))
        await lock.start()
        await lock.lock()
        bench.sealer.gate.close()
        for digit in "270954" { lock.lockScreen?.send(.digit(digit.wholeNumberValue!)) }
        await bench.sealer.gate.waitForHeld(1)
        try await bench.service().clearAll()
        await lock.session.passcodeChanged()
        // The lock looks at the session, and waits for the end of the check.
        await lock.phaseChanged(to: .active)
        #expect(lock.cover == .lockScreen)
        bench.sealer.gate.open()
        try await BoundedWait.until("the lock screen to end") { lock.lockScreen == nil }
        #expect(lock.ending == .disarmed)
        #expect(lock.cover == .none)
    }

    @Test("P-33: while the host signs out of an open app, no prompt is shown")
    func signOutOfOpenApp() async throws {
        let lock = try await locked()
        biometrics.gate.open()
        try await BoundedWait.until("the lock to open") { lock.cover == .none }
        biometrics.gate.close()
        let signingOut = Gate()
        signingOut.close()
        await bench.host.onSignOut { _ = await signingOut.pass() }
        let ending = Task { try await lock.session.logOut() }
        await signingOut.waitForHeld(1)
        try await BoundedWait.until("the cover") { lock.cover == .signingOut }
        await lock.phaseChanged(to: .inactive)
        await lock.phaseChanged(to: .active)
        #expect(biometrics.gate.heldCount == 0)
        signingOut.open()
        try await ending.value
        try await BoundedWait.until("the end") { lock.cover == .none }
        #expect(biometrics.gate.heldCount == 0)
    }

    @Test(
        "P-51: on return the account is asked anew; the question before it ends, and has not failed",
        arguments: [[.background, .active], [.background, .inactive, .active]] as [[AppPhase]]
    )
    func askedAnew(_ phases: [AppPhase]) async throws {
        let device = AccountBench().device()
        let lock = AppLock(session: LockSession(service: try device.service()))
        device.line.gate.close()
        await lock.start()
        await device.line.gate.waitForHeld(1)
        for phase in phases { await lock.phaseChanged(to: phase) }
        // The app comes from `inactive`, as after a notification; it has not been away.
        for phase in [.inactive, .active] as [AppPhase] { await lock.phaseChanged(to: phase) }
        try await BoundedWait.until("one question") {
            device.line.calls.count == 2 && device.line.gate.heldCount == 1
        }
        #expect(lock.accountFailure == nil && lock.report == nil)
        device.line.gate.open()
        try await BoundedWait.until("the answer") { lock.report != nil }
        #expect(lock.accountFailure == nil)
    }
}

/// Biometrics whose prompts stay until a gate opens or their task is cancelled.
private final class PatientBiometrics: BiometricAuthenticator {
    let gate = Gate()

    func availability(for user: UserID) async -> BiometricAvailability {
        BiometricAvailability(kind: .faceID, state: .available, enrolmentDigest: [1], binding: .assertion)
    }

    func enroll(_ key: SecretBytes, for user: UserID) async throws(BiometricError) {}

    func authenticate(
        user: UserID,
        reason: String,
        fallbackTitle: String,
        hint: @escaping @Sendable (BiometricHint) -> Void
    ) async -> BiometricOutcome {
        await gate.pass() ? .success(key: nil) : .cancelled(by: .system)
    }

    func forget(_ user: UserID) async throws(BiometricError) {}
}
