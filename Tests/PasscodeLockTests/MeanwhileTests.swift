import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("What another process does meanwhile (P-2 … P-15)", .timeLimit(.minutes(5)))
struct MeanwhileTests {
    private let right = SecretBytes("834912")

    /// A service of the bench's device with another sealer.
    private static func service(_ bench: Bench, _ sealer: any PasscodeSealer) throws -> PasscodeService {
        try PasscodeService(
            user: .ada,
            backends: Backends(
                secrets: InMemorySecretStore(bench.storage),
                sealer: sealer,
                clock: bench.clock
            ),
            session: bench.host,
            configuration: bench.configuration
        )
    }

    @Test("P-2: of two first matches with another app's hash, each returns the key that is stored")
    func matchedTwice() async throws {
        let bench = Bench()
        try await bench.service().takeOver(
            FastPasscodeSealer.legacyHash(of: right, salt: "c2FsdA=="),
            format: .standard
        )
        let matching = InterruptedSealer(base: bench.sealer) { [right] in
            _ = try? await bench.service().verify(right)
        }
        guard case .right(let proof) = try await Self.service(bench, matching).verify(right),
            case .right(let stored) = try await bench.service().verify(right)
        else {
            Issue.record("the passcode is right")
            return
        }
        #expect(proof.key?.text == stored.key?.text)
    }

    @Test("P-2: a seal that is made anew does not take the place of a passcode that was changed meanwhile")
    func resealed() async throws {
        let bench = Bench()
        @Sendable func service(_ sealer: any PasscodeSealer) throws -> PasscodeService {
            try Self.service(bench, sealer)
        }
        let weak = FastPasscodeSealer(parameters: Argon2Parameters(memory: 4096, passes: 1, lanes: 1))
        try await service(weak).set(right)
        let changing = InterruptedSealer(base: bench.sealer) {
            _ = try? await service(weak).change(from: right, to: SecretBytes("270954"))
        }
        #expect(try await service(changing).verify(right).isRight)
        #expect(try await service(bench.sealer).verify(SecretBytes("270954")).isRight)
        #expect(try await !service(bench.sealer).verify(right).isRight)
    }

    @Test(
        "P-6, P-51: a try that did not reach the account takes back no count but its own",
        arguments: [false, true]
    )
    func givenBack(isCleared: Bool) async throws {
        let account = AccountBench()
        account.server.replacePasscode(.first)
        let device = account.device()
        try await device.service().synchronise()
        let other = AccountBench.Device(sharing: device, line: account.device().line)
        device.line.failNext(.verify, .serverFailure)
        device.line.setLatency(.seconds(10))
        let failing = Task { try await device.service().verify(.second) }
        // The status, and then the passcode, which is counted by then.
        await account.clock.waitForSleepers(1)
        await account.clock.advance(by: .seconds(10))
        await account.clock.waitForSleepers(1)
        #expect(try await device.service().status().failures == 1)
        if isCleared { #expect(try await other.service().verify(.first).isRight) }
        #expect(try await !other.service().verify(.third).isRight)
        await account.clock.advance(by: .seconds(10))
        await #expect(throws: PasscodeError.self) { try await failing.value }
        #expect(try await device.service().status().failures == (isCleared ? 1 : 2))
    }

    @Test("P-7, P-51: a right passcode at the limit stays right if the record changed meanwhile")
    func changedRecord() async throws {
        let account = AccountBench()
        account.server.replacePasscode(.first)
        var device = account.device()
        device.configuration.throttle = .unlimited.afterFailures(1, .signOut)
        try await device.service().synchronise()
        let other = AccountBench.Device(sharing: device, line: account.device().line)
        // The first write counts the try, and the second one stores that the account has confirmed it.
        let store = InterruptedSecretStore(InMemorySecretStore(device.storage), before: .write, number: 1) {
            account.server.setTimeout(.minutes(5))
            _ = try? await other.service().synchronise()
        }
        #expect(try await device.service(store: store).verify(.first).isRight)
        #expect(try await device.service().status().failures == 0)
        #expect(await device.host.signedOut.isEmpty)
    }

    @Test("P-7, P-51: a right passcode at the limit stays right if it is switched on again meanwhile")
    func switchedOnAgain() async throws {
        let account = AccountBench()
        var device = account.device()
        device.configuration.throttle = .unlimited.afterFailures(1, .signOut)
        let sealer = FastPasscodeSealer()
        device.sealer = sealer
        try await device.service().set(.first)
        account.server.removePasscode()
        try await device.service().synchronise()
        sealer.gate.close()
        let check = Task { [device] in try await device.service().verify(.first) }
        await sealer.gate.waitForHeld(1)
        account.server.replacePasscode(.first)
        try await device.service().synchronise()
        sealer.gate.open()
        #expect(try await check.value.isRight)
        #expect(try await device.service().status().failures == 0)
        #expect(await device.host.signedOut.isEmpty)
    }

    @Test("P-51: a passcode that was switched off opens nothing if another one is switched on meanwhile")
    func otherSwitchedOn() async throws {
        let account = AccountBench()
        var device = account.device()
        let sealer = FastPasscodeSealer()
        device.sealer = sealer
        try await device.service().set(.first)
        account.server.replacePasscode(.second)
        try await device.service().synchronise()
        account.server.removePasscode()
        try await device.service().synchronise()
        sealer.gate.close()
        let check = Task { [device] in try await device.service().verify(.first) }
        await sealer.gate.waitForHeld(1)
        account.server.replacePasscode(.third)
        try await device.service().synchronise()
        sealer.gate.open()
        guard case .wrong(1, _) = try await check.value else {
            Issue.record("the account was not asked")
            return
        }
        #expect(try await device.service().status().standing == .unconfirmed)
        #expect(try await device.service().verify(.third).isRight)
    }

    @Test(
        "P-3, P-51: an act finds no passcode if it is switched off elsewhere meanwhile",
        arguments: [false, true]
    )
    func switchedOffBeforeAct(isRemoval: Bool) async throws {
        let account = AccountBench()
        let device = account.device()
        try await device.service().set(.first)
        // The first write counts the try.
        let store = InterruptedSecretStore(InMemorySecretStore(device.storage), before: .write) {
            account.server.removePasscode()
            _ = try? await device.service().synchronise()
        }
        let service = try device.service(store: store)
        let answer =
            isRemoval ? try await service.remove(.first) : try await service.change(from: .first, to: .second)
        guard case .notSet = answer else {
            Issue.record("the act was done")
            return
        }
        #expect(try await device.service().status().standing == .switchedOff)
    }

    @Test("P-3, P-9, P-51: a log-out while an act begins leaves no record", arguments: [false, true])
    func loggedOutBeforeAct(isRemoval: Bool) async throws {
        let account = AccountBench()
        let device = account.device()
        try await device.service().set(.first)
        // The first write counts the try, the second one clears the count, and the third one stores the act.
        let store = InterruptedSecretStore(InMemorySecretStore(device.storage), before: .write, number: 2) {
            try? await device.service().clearAll()
        }
        let service = try device.service(store: store)
        let answer =
            isRemoval ? try await service.remove(.first) : try await service.change(from: .first, to: .second)
        guard case .notSet = answer else {
            Issue.record("the act was done")
            return
        }
        #expect(try await device.isEmpty)
        #expect(account.server.holds(.first), "nothing was sent")
    }

    @Test(
        "P-3, P-9, P-51: an act does not replace the first passcode that is set after a log-out",
        arguments: [false, true]
    )
    func setAgainBeforeAct(isRemoval: Bool) async throws {
        let account = AccountBench()
        let device = account.device()
        try await device.service().set(.first)
        let other = AccountBench.Device(sharing: device, line: account.device().line)
        other.line.gate.close()
        let loggedOut = Gate()
        loggedOut.close()
        let setting = Task {
            _ = await loggedOut.pass()
            return try await other.service().set(.second)
        }
        // The third write stores the act.
        let store = InterruptedSecretStore(InMemorySecretStore(device.storage), before: .write, number: 2) {
            try? await device.service().clearAll()
            account.server.removePasscode()
            loggedOut.open()
            await other.line.gate.waitForHeld(1)
        }
        let service = try device.service(store: store)
        let answer =
            isRemoval ? try await service.remove(.first) : try await service.change(from: .first, to: .third)
        guard case .notSet = answer else {
            Issue.record("the act was done")
            return
        }
        other.line.gate.open()
        _ = try await setting.value
        let status = try await device.service().status()
        #expect(status.standing == .confirmed && status.failures == 0)
        #expect(try await device.service().verify(.second).isRight)
    }

    @Test("P-9, P-35, P-51: a log-out while a reset seals its key leaves no record")
    func loggedOutBeforeReset() async throws {
        let account = AccountBench()
        let device = account.device()
        try await device.service().set(.first)
        let request = try await device.service().requestReset()
        let code = try #require(account.server.mailedCode)
        var resetting = device
        resetting.sealer = InterruptedSealer(base: FastPasscodeSealer()) {
            try? await device.service().clearAll()
        }
        let service = try resetting.service()
        let error = await #expect(throws: PasscodeError.self) {
            try await service.reset(code: code, of: request, to: .second)
        }
        #expect(error?.account == .conflict)
        #expect(try await device.isEmpty)
        #expect(account.server.holds(.first), "nothing was sent")
    }

    @Test("P-6, P-7, P-51: a right passcode is no failure while its act waits for the account")
    func heldAct() async throws {
        let account = AccountBench()
        var device = account.device()
        device.configuration.throttle = .unlimited.afterFailures(2, .erase)
        try await device.service().set(.first)
        #expect(try await !device.service().remove(.second).isRight)
        device.line.gate.close()
        let removal = Task { [device] in try await device.service().remove(.first) }
        await device.line.gate.waitForHeld(1)
        #expect(try await device.service().status().failures == 0)
        await account.clock.advance(by: .seconds(60))
        // As after the end of the process that removes.
        #expect(try await device.service().verify(.first).isRight)
        #expect(await device.host.signedOut.isEmpty)
        device.line.gate.open()
        #expect(try await removal.value.isRight)
    }

    @Test(
        "P-6: a change that the account refuses takes back no other try, and restores no cleared one",
        arguments: [false, true]
    )
    func refusedAct(isRight: Bool) async throws {
        let account = AccountBench()
        var device = account.device()
        device.configuration.throttle = .unlimited
        try await device.service().set(.first)
        #expect(try await !device.service().verify(.third).isRight)
        account.server.replacePasscode(.second)
        device.line.gate.close()
        let change = Task { [device] in
            try await device.service().change(from: .first, to: SecretBytes("270954"))
        }
        await device.line.gate.waitForHeld(1)
        // Another process's try, which needs no account yet.
        let other = try device.service()
        #expect(try await other.verify(isRight ? .first : .third).isRight == isRight)
        device.line.gate.open()
        guard case .wrong = try await change.value else {
            Issue.record("not refused")
            return
        }
        #expect(try await other.status().failures == (isRight ? 0 : 3))
    }

    @Test("P-6, P-7: a right passcode is no failure while the sealer makes the seal of a new one")
    func heldSeal() async throws {
        let bench = Bench()
        try await bench.service().set(right)
        let sealing = InterruptedSealer(base: bench.sealer) {
            let failures = try? await bench.service().status().failures
            #expect(failures == 0)
        }
        let service = try Self.service(bench, sealing)
        #expect(try await service.change(from: right, to: SecretBytes("270954")).isRight)
    }

    @Test("P-7: a right passcode at the limit stays right if its seal is made anew meanwhile")
    func resealedAtLimit() async throws {
        var bench = Bench()
        bench.configuration.throttle = .unlimited.afterFailures(1, .signOut)
        let weak = FastPasscodeSealer(parameters: Argon2Parameters(memory: 4096, passes: 1, lanes: 1))
        let service = try Self.service(bench, weak)
        try await service.set(right)
        let sealing = Gate()
        sealing.close()
        let resealing = InterruptedSealer(base: bench.sealer) { _ = await sealing.pass() }
        let other = try Self.service(bench, resealing)
        let first = Task { [right] in try await other.verify(right) }
        await sealing.waitForHeld(1)
        weak.gate.close()
        let second = Task { [right] in try await service.verify(right) }
        await weak.gate.waitForHeld(1)
        sealing.open()
        #expect(try await first.value.isRight)
        weak.gate.open()
        #expect(try await second.value.isRight)
        #expect(try await service.status().failures == 0)
        #expect(await bench.host.signedOut.isEmpty)
    }

    @Test("P-51: a status that was told before a change ended says nothing about the passcode after it")
    func staleStatus() async throws {
        let account = AccountBench()
        let device = account.device()
        let service = try device.service()
        try await service.set(.first)
        let line = InterruptedAccount(device.line) {
            _ = try? await service.change(from: .first, to: .second)
        }
        let asking = try PasscodeService(
            user: .ada,
            backends: Backends(
                secrets: InMemorySecretStore(device.storage),
                sealer: FastPasscodeSealer(),
                clock: account.clock
            ),
            session: device.host,
            configuration: device.configuration,
            account: line
        )
        #expect(try await asking.synchronise()?.notices == [])
        #expect(try await service.status().standing == .confirmed)
        #expect(account.server.holds(.second))
    }

    @Test("P-3: a passcode that was changed while it was being removed stays")
    func removed() async throws {
        let bench = Bench()
        try await bench.service().set(right)
        let store = InterruptedSecretStore(InMemorySecretStore(bench.storage), before: .remove) {
            _ = try? await bench.service().change(from: right, to: SecretBytes("270954"))
        }
        #expect(try await !bench.service(store: store).remove(right).isRight)
        #expect(try await bench.service().verify(SecretBytes("270954")).isRight)
    }

    @Test("P-15: a baseline that was made anew while a prompt without its key ended stays")
    func otherBaseline() async throws {
        let bench = Bench()
        let service = try bench.service()
        try await service.set(right)
        _ = try await service.enableBiometrics(right)
        await bench.biometrics.hold()
        let attempt = Task { try await service.authenticate() }
        try await BoundedWait.until { await bench.biometrics.isPrompting }
        let text = try await bench.record()!.value.text
        let other = text.replacing(#""enrolmentDigest":[1]"#, with: #""enrolmentDigest":[2]"#)
        try #require(other != text)
        await bench.biometrics.onNextLook { try? await bench.overwriteRecord(other) }
        await bench.biometrics.release(.success(key: nil))
        guard case .passcodeNeeded = try await attempt.value else {
            Issue.record("unlocked without the key")
            return
        }
        #expect(try await bench.record()?.value.text == other)
    }

    @Test("P-11, P-13: a passcode that is replaced while its key waits for a touch does not switch them on")
    func enrolledLate() async throws {
        for isRemoved in [false, true] {
            let bench = Bench()
            let service = try bench.service()
            try await service.set(right)
            await bench.biometrics.onNextEnrolment { [right] in
                if isRemoved {
                    _ = try? await bench.service().remove(right)
                } else {
                    _ = try? await bench.service().replace(with: SecretBytes("270954"))
                }
            }
            #expect(
                await code { () async throws(PasscodeError) in _ = try await service.enableBiometrics(right) }
                    == .biometrics
            )
            #expect(try await !service.biometrics().isEnabled)
            #expect(await bench.biometrics.key == nil, "the key of the old passcode is not kept")
        }
    }

    @Test("P-13: a passcode that is replaced while its key is enrolled anew leaves biometrics to the new one")
    func renewedLate() async throws {
        let bench = Bench()
        let service = try bench.service()
        try await service.set(right)
        _ = try await service.enableBiometrics(right)
        await bench.biometrics.set { $0.enrolmentDigest = [2] }
        await bench.biometrics.onNextEnrolment {
            _ = try? await bench.service().replace(with: SecretBytes("270954"))
        }
        _ = try await service.verify(right)
        #expect(try await !service.biometrics().isUsable)
        guard case .right(let proof) = try await service.verify(SecretBytes("270954")),
            case .unlocked(let touched) = try await service.authenticate()
        else {
            Issue.record("the new passcode does not renew biometrics")
            return
        }
        #expect(touched.key?.text == proof.key?.text)
    }

    @Test("P-13: nor if the new passcode's key was enrolled before the old one's touch came")
    func overwrittenLate() async throws {
        let bench = Bench()
        let service = try bench.service()
        try await service.set(right)
        _ = try await service.enableBiometrics(right)
        await bench.biometrics.set { $0.enrolmentDigest = [2] }
        await bench.biometrics.onNextEnrolment {
            guard let other = try? bench.service() else { return }
            _ = try? await other.replace(with: SecretBytes("270954"))
            _ = try? await other.verify(SecretBytes("270954"))
        }
        _ = try await service.verify(right)
        guard case .passcodeNeeded = try await service.authenticate() else {
            Issue.record("the key of the old passcode is released")
            return
        }
    }

    @Test("P-13: while biometrics cannot be used a right passcode makes no other baseline")
    func unavailable() async throws {
        let bench = Bench()
        let service = try bench.service()
        try await service.set(right)
        _ = try await service.enableBiometrics(right)
        await bench.biometrics.set { ($0.state, $0.enrolmentDigest) = (.lockedOut, [2]) }
        #expect(try await service.verify(right).isRight)
        await bench.biometrics.set { ($0.state, $0.enrolmentDigest) = (.available, [1]) }
        #expect(try await service.biometrics().isUsable)
    }
}

/// A sealer that has something happen before it first seals.
private actor InterruptedSealer: PasscodeSealer {
    private let base: FastPasscodeSealer
    private var interruption: (@Sendable () async -> Void)?

    init(base: FastPasscodeSealer, _ interruption: @escaping @Sendable () async -> Void) {
        (self.base, self.interruption) = (base, interruption)
    }

    nonisolated var parameters: Argon2Parameters { base.parameters }

    func seal(
        _ key: SecretBytes,
        under passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealedKey {
        let interruption = interruption
        self.interruption = nil
        await interruption?()
        return try await base.seal(key, under: passcode, context: context)
    }

    func open(
        _ sealed: SealedKey,
        with passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealOpening {
        try await base.open(sealed, with: passcode, context: context)
    }

    func matches(
        _ passcode: SecretBytes,
        _ legacy: LegacyPasscodeHash
    ) async throws(PasscodeSealerError) -> Bool {
        try await base.matches(passcode, legacy)
    }
}

/// A line whose first status is told, and then something else happens before it arrives.
private actor InterruptedAccount: PasscodeAccount {
    private let base: InMemoryPasscodeAccount
    private var interruption: (@Sendable () async -> Void)?

    init(_ base: InMemoryPasscodeAccount, _ interruption: @escaping @Sendable () async -> Void) {
        (self.base, self.interruption) = (base, interruption)
    }

    func status() async throws(PasscodeAccountError) -> AccountPasscodeStatus {
        let status = try await base.status()
        let interruption = interruption
        self.interruption = nil
        await interruption?()
        return status
    }

    func set(
        _ passcode: SecretBytes,
        as revision: AccountRevision
    ) async throws(PasscodeAccountError) -> AccountSetOutcome { try await base.set(passcode, as: revision) }

    func change(
        from current: SecretBytes,
        to new: SecretBytes,
        as revision: AccountRevision
    ) async throws(PasscodeAccountError) -> AccountVerifyOutcome {
        try await base.change(from: current, to: new, as: revision)
    }

    func verify(_ passcode: SecretBytes) async throws(PasscodeAccountError) -> AccountVerifyOutcome {
        try await base.verify(passcode)
    }

    func update(_ change: AccountSettingsChange) async throws(PasscodeAccountError) -> AccountVerifyOutcome {
        try await base.update(change)
    }

    func requestReset() async throws(PasscodeAccountError) -> AccountCodeRequest {
        try await base.requestReset()
    }

    func reset(
        code: SecretBytes,
        of request: AccountCodeRequest,
        to new: SecretBytes,
        as revision: AccountRevision
    ) async throws(PasscodeAccountError) -> AccountResetOutcome {
        try await base.reset(code: code, of: request, to: new, as: revision)
    }
}
