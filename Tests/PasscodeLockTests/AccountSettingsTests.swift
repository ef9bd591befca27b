import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("What an account and a device set of a passcode (P-50, P-51)")
struct AccountSettingsTests {
    let bench = AccountBench()

    private func accountError(_ body: () async throws -> Void) async -> PasscodeAccountError.Code? {
        do { try await body() } catch { return (error as? PasscodeError)?.account }
        return nil
    }

    // MARK: Switching off, and administrators

    @Test("P-3, P-51: removed here it is switched off at the account, and nothing stays in the store")
    func remove() async throws {
        let device = bench.device()
        try await device.service().set(.first)
        #expect(try await device.service().remove(.first).isRight)
        #expect(bench.server.status.hasPasscode == false)
        #expect(try await device.isEmpty)
        try await device.service().set(.second)
        #expect(bench.server.holds(.second))
    }

    @Test("P-51: offline, a shared passcode stays; one that was never sent is removed")
    func removeOffline() async throws {
        let (shared, pending) = (bench.device(), bench.device())
        try await shared.service().set(.first)
        shared.line.setOffline(true)
        #expect(await accountError { _ = try await shared.service().remove(.first) } == .unreachable)
        #expect(try await shared.service().status().isSet)
        pending.line.setOffline(true)
        try await pending.service().set(.second)
        #expect(try await pending.service().remove(.second).isRight)
        #expect(try await pending.isEmpty)
    }

    @Test(
        "P-51: switched off elsewhere, nothing locks any more, but what is locked opens with the passcode only"
    )
    func switchedOffElsewhere() async throws {
        let device = bench.device()
        let service = try device.service()
        try await service.set(.first)
        _ = try await service.enableBiometrics(.first)
        let session = LockSession(service: service)
        await session.launch()
        await session.lock()
        bench.server.removePasscode()
        #expect(try await session.synchronise()?.notices == [.switchedOffElsewhere])
        #expect(await session.state.isLocked)
        let next = LockSession(service: try device.service())
        await next.launch()
        #expect(await next.state.isLocked, "also after a restart")
        guard case .wrong = try await service.verify(.second) else {
            Issue.record("a wrong passcode was not wrong")
            return
        }
        guard case .right(let proof) = try await service.verify(.first) else {
            Issue.record("not right")
            return
        }
        #expect(await next.unlock(with: proof, generation: next.state.generation))
        await next.lock()
        #expect(await !next.state.isLocked)
        #expect(try await device.isEmpty)
        #expect(await device.biometrics.key == nil)
    }

    @Test("P-51: changed, then switched off elsewhere, what is locked opens with this device's passcode")
    func changedAndSwitchedOff() async throws {
        let device = bench.device()
        let service = try device.service()
        let key = try await service.set(.first).key
        let session = LockSession(service: service)
        await session.launch()
        await session.lock()
        bench.server.replacePasscode(.second)
        #expect(try await session.synchronise()?.notices == [.changedElsewhere])
        bench.server.removePasscode()
        #expect(try await session.synchronise()?.notices == [.switchedOffElsewhere])
        #expect(await session.state.isLocked)
        guard case .wrong = try await service.verify(.third) else {
            Issue.record("a wrong passcode was not wrong")
            return
        }
        guard case .right(let proof) = try await service.verify(.first) else {
            Issue.record("not right")
            return
        }
        #expect(proof.key?.text == key?.text)
        #expect(await session.unlock(with: proof, generation: session.state.generation))
        #expect(try await device.isEmpty)
    }

    @Test("P-13, P-31, P-51: so it is asked for in the format that it has, and biometrics stay off")
    func changedAndSwitchedOffFormat() async throws {
        var device = bench.device()
        try await device.service().set(.first)
        _ = try await device.service().enableBiometrics(.first)
        // As a later version of the app, which has another format for new passcodes.
        device.configuration.format = .digits(4)
        #expect(try await device.service().status().format == .digits(6))
        bench.server.replacePasscode(.second)
        try await device.service().synchronise()
        #expect(try await device.service().status().format == .digits(4))
        bench.server.removePasscode()
        try await device.service().synchronise()
        #expect(try await device.service().status().format == .digits(6))
        #expect(try await !device.service().biometrics().isUsable)
        #expect(try await device.service().verify(.first).isRight)
    }

    @Test("P-51: switched off elsewhere, biometrics are off, and a new passcode replaces the old one")
    func switchedOffUnlocked() async throws {
        let device = bench.device()
        let service = try device.service()
        try await service.set(.first)
        _ = try await service.enableBiometrics(.first)
        let session = LockSession(service: service)
        await session.launch()
        bench.server.removePasscode()
        #expect(try await session.synchronise()?.notices == [.switchedOffElsewhere])
        #expect(try await !service.status().isSet)
        #expect(await device.biometrics.key == nil)
        await session.lock()
        #expect(await !session.state.isLocked)
        try await service.set(.second)
        #expect(try await service.verify(.second).isRight)
        try await service.logOut()
        #expect(try await device.isEmpty)
    }

    @Test("P-51: switched off elsewhere, an open app stays open although the authenticator keeps its key")
    func switchedOffAndKept() async throws {
        let device = bench.device()
        let service = try device.service()
        try await service.set(.first)
        _ = try await service.enableBiometrics(.first)
        let session = LockSession(service: service)
        await session.launch()
        bench.server.removePasscode()
        await device.biometrics.failForgetting()
        #expect(try await session.synchronise()?.notices == [.switchedOffElsewhere])
        #expect(await !session.state.isLocked)
        #expect(try await !service.biometrics().isEnabled)
    }

    @Test("P-51: switched off elsewhere, a locked window stays locked beside an open one")
    func switchedOffInTwoWindows() async throws {
        let device = bench.device()
        try await device.service().set(.first)
        let (locked, open) = (
            LockSession(service: try device.service()), LockSession(service: try device.service())
        )
        await locked.launch()
        await open.launch()
        await locked.lock()
        // The other window locks too and is unlocked, so it writes the common mark last.
        await open.lock()
        guard case .right(let proof) = try await device.service().verify(.first) else {
            Issue.record("not right")
            return
        }
        #expect(await open.unlock(with: proof, generation: open.state.generation))
        bench.server.removePasscode()
        #expect(try await open.synchronise()?.notices == [.switchedOffElsewhere])
        await locked.passcodeChanged()
        #expect(await locked.state.isLocked)
        guard case .right(let second) = try await device.service().verify(.first) else {
            Issue.record("not right")
            return
        }
        await locked.unlock(with: second, generation: locked.state.generation)
        await locked.passcodeChanged()
        #expect(await !locked.state.isLocked)
    }

    @Test(
        "P-37, P-51: disabled by an administrator: nothing locks, what is locked stays, enabled again it locks"
    )
    func disabled() async throws {
        let service = try bench.device().service()
        try await service.set(.first)
        let session = LockSession(service: service)
        await session.launch()
        bench.server.setEnabled(false)
        #expect(try await session.synchronise()?.notices == [.disabled])
        #expect(try await service.status().isEnabled == false)
        await session.lock()
        #expect(await !session.state.isLocked)
        bench.server.setEnabled(true)
        #expect(try await session.synchronise()?.notices == [.enabled])
        await session.lock()
        #expect(await session.state.isLocked)
        bench.server.setEnabled(false)
        try await session.synchronise()
        #expect(await session.state.isLocked, "no news opens anything")
        guard case .right(let proof) = try await service.verify(.first) else {
            Issue.record("not right")
            return
        }
        #expect(await session.unlock(with: proof, generation: session.state.generation))
    }

    @Test("P-51: a server that lost its data opens nothing, and gets the passcode again")
    func lostData() async throws {
        let device = bench.device()
        try await device.service().set(.first)
        bench.server.loseEverything()
        #expect(try await device.service().synchronise()?.notices == [])
        #expect(try await device.service().status().isSet)
        #expect(try await device.service().verify(.first).isRight)
        try await device.service().push(.first)
        #expect(bench.server.holds(.first))
    }

    // MARK: A service without the account

    @Test("P-50, P-51: without its account, a passcode is checked, but not changed, removed or recovered")
    func actsWithoutAccount() async throws {
        let phrase = "correct horse battery"
        var device = bench.device()
        device.sealer = FastPasscodeSealer(recovery: SecretBytes(phrase))
        try await device.service().set(.first)
        let bare = try device.service(hasAccount: false)
        #expect(await accountError { _ = try await bare.change(from: .first, to: .second) } == .unavailable)
        #expect(await accountError { _ = try await bare.remove(.second) } == .unavailable)
        let recovery = await accountError {
            _ = try await bare.recover(with: SecretBytes(phrase), to: .second)
        }
        #expect(recovery == .unavailable)
        #expect(try await !bare.status().isRecoverable)
        #expect(try await bare.status().failures == 0)
        #expect(try await bare.verify(.first).isRight)
        #expect(try await device.service().change(from: .first, to: .second).isRight)
        #expect(bench.server.holds(.second))
        bench.server.removePasscode()
        try await device.service().synchronise()
        guard case .notSet = try await bare.change(from: .second, to: .first) else {
            Issue.record("a passcode that was switched off was changed")
            return
        }
    }

    @Test("P-51: a passcode that meets an account while it is changed without one is not changed")
    func meetsDuringChange() async throws {
        let device = bench.device()
        var bare = AccountBench.Device(sharing: device, line: device.line)
        let sealer = FastPasscodeSealer()
        bare.sealer = sealer
        try await bare.service(hasAccount: false).set(.first)
        sealer.gate.close()
        let change = Task { [bare] in
            try await bare.service(hasAccount: false).change(from: .first, to: .second)
        }
        await sealer.gate.waitForHeld(1)
        try await device.service().synchronise()
        try await device.service().push(.first)
        sealer.gate.open()
        let error = await #expect(throws: PasscodeError.self) { try await change.value }
        #expect(error?.account == .unavailable)
        #expect(bench.server.holds(.first))
        #expect(try await device.service().verify(.first).isRight)
    }

    // MARK: Timeout

    @Test("P-51: the account's timeout can shorten the device's, never lengthen it")
    func timeout() async throws {
        let device = bench.device()
        let service = try device.service()
        try await service.set(.first)
        for (told, effective) in [
            (AccountTimeout.minutes(60), 15), (.minutes(5), 5), (.never, 15), (.minutes(0), 0),
        ] {
            bench.server.setTimeout(told)
            try await service.synchronise()
            #expect(try await service.status().timeout == .after(.seconds(60 * effective)))
        }
        try await service.setTimeout(.after(.seconds(3600)))
        #expect(bench.server.status.timeout == .minutes(60))
        #expect(try await service.status().timeout == .after(.seconds(3600)))
        try await service.setTimeout(.after(.seconds(5)))
        #expect(bench.server.status.timeout == .minutes(1))
        #expect(try await service.status().timeout == .after(.seconds(5)))
        device.line.setOffline(true)
        #expect(await accountError { try await service.setTimeout(.never) } == .unreachable)
        #expect(try await service.status().timeout == .after(.seconds(5)))
    }
}
