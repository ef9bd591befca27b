import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("Reset by mail, and leaving (P-9, P-35, P-52)")
struct AccountResetTests {
    let bench = AccountBench()

    private func accountError(_ body: () async throws -> Void) async -> PasscodeAccountError.Code? {
        do { try await body() } catch { return (error as? PasscodeError)?.account }
        return nil
    }

    // MARK: Reset

    @Test("P-35: a mailed code sets another passcode, here and at the account, also during a delay")
    func reset() async throws {
        let device = bench.device()
        let service = try device.service()
        try await service.set(.first)
        for _ in 0..<5 { _ = try await service.verify(.third) }
        let request = try await service.requestReset()
        let code = try #require(bench.server.mailedCode)
        guard case .reset = try await service.reset(code: code, of: request, to: .second) else {
            Issue.record("not reset")
            return
        }
        #expect(bench.server.holds(.second))
        device.line.setOffline(true)
        #expect(try await service.verify(.second).isRight)
        guard case .wrong = try await service.verify(.first) else {
            Issue.record("the old passcode still opens")
            return
        }
    }

    @Test("P-35: a new passcode or a code of another format is refused before the code is tried")
    func badNewPasscode() async throws {
        let device = bench.device()
        let service = try device.service()
        try await service.set(.first)
        let request = try await service.requestReset()
        let code = try #require(bench.server.mailedCode)
        let before = device.line.calls.count
        let error = await #expect(throws: PasscodeError.self) {
            try await service.reset(code: code, of: request, to: SecretBytes("12345"))
        }
        #expect(error?.code == .wrongFormat)
        for text in ["", "12345", "1234567", "12345a"] {
            let error = await #expect(throws: PasscodeError.self) {
                try await service.reset(code: SecretBytes(text), of: request, to: .second)
            }
            #expect(error?.code == .wrongFormat, "\(text)")
        }
        #expect(device.line.calls.count == before, "nothing was sent")
    }

    @Test("P-13, P-35: biometrics that were chosen release the new key right after a reset")
    func resetBiometrics() async throws {
        let device = bench.device()
        let service = try device.service()
        try await service.set(.first)
        _ = try await service.enableBiometrics(.first)
        let request = try await service.requestReset()
        let code = try #require(bench.server.mailedCode)
        guard case .reset(let proof) = try await service.reset(code: code, of: request, to: .second) else {
            Issue.record("not reset")
            return
        }
        #expect(try await service.biometrics().isUsable)
        #expect(await device.biometrics.key?.text == proof.key?.text)
    }

    @Test("P-13, P-35: a passcode that a server replaces has its format, another key, and no baseline")
    func replaced() async throws {
        var device = bench.device()
        device.configuration.weakPasscodes = .reject
        let service = try device.service(hasAccount: false)
        let old = try await service.set(.first).key
        _ = try await service.enableBiometrics(.first)
        _ = try await service.verify(.third)
        for (wrong, code) in [
            (SecretBytes("12345"), PasscodeError.Code.wrongFormat), (SecretBytes("111111"), .easilyGuessed),
        ] {
            let error = await #expect(throws: PasscodeError.self) { try await service.replace(with: wrong) }
            #expect(error?.code == code)
        }
        #expect(try await service.status().failures == 1)
        let new = try await service.replace(with: .second).key
        #expect(new?.text != old?.text)
        #expect(try await service.status().failures == 0)
        let offer = try await service.biometrics()
        #expect(!offer.isUsable && offer.isEnabled)
        guard case .right(let proof) = try await service.verify(.second) else {
            Issue.record("not right")
            return
        }
        #expect(proof.key?.text == new?.text)
    }

    @Test("P-35: a code that is refused, too old or used up changes nothing")
    func resetRefused() async throws {
        let service = try bench.device().service()
        try await service.set(.first)
        let request = try await service.requestReset()
        let code = try #require(bench.server.mailedCode)
        let other = SecretBytes(code.text == "111111" ? "222222" : "111111")
        guard case .refused = try await service.reset(code: other, of: request, to: .second) else {
            Issue.record("not refused")
            return
        }
        await bench.clock.advance(by: .seconds(900))
        guard case .expired = try await service.reset(code: code, of: request, to: .second) else {
            Issue.record("not expired")
            return
        }
        #expect(try await service.verify(.first).isRight)
        #expect(try await service.status().standing == .confirmed)
    }

    @Test("P-35, P-51: a reset whose answer is lost is settled by the status, or by sending it again")
    func resetUnknown() async throws {
        for again in [true, false] {
            let bench = AccountBench()
            let device = bench.device()
            let service = try device.service()
            try await service.set(.first)
            let request = try await service.requestReset()
            let code = try #require(bench.server.mailedCode)
            device.line.failNext(.lostAnswer)
            #expect(
                await accountError { _ = try await service.reset(code: code, of: request, to: .second) }
                    == .outcomeUnknown
            )
            #expect(try await service.verify(.first).isRight, "the old one holds until it is known")
            if again {
                guard case .reset = try await service.reset(code: code, of: request, to: .second) else {
                    Issue.record("not reset")
                    return
                }
            } else {
                #expect(try await service.synchronise()?.notices == [.carriedOut(.reset)])
            }
            device.line.setOffline(true)
            #expect(try await service.verify(.second).isRight)
        }
    }

    @Test("P-35, P-51: after a reset whose answer is lost, a passcode that was switched off opens nothing")
    func resetUnknownAfterSwitchOff() async throws {
        let device = bench.device()
        let service = try device.service()
        try await service.set(.first)
        bench.server.replacePasscode(.second)
        try await service.synchronise()
        bench.server.removePasscode()
        try await service.synchronise()
        let request = try await service.requestReset()
        let code = try #require(bench.server.mailedCode)
        device.line.failNext(.reset, .lostAnswer)
        #expect(
            await accountError { _ = try await service.reset(code: code, of: request, to: .third) }
                == .outcomeUnknown
        )
        guard case .wrong = try await service.verify(.first) else {
            Issue.record("the old passcode opens")
            return
        }
        #expect(try await service.verify(.third).isRight)
    }

    @Test("P-35, P-51: a status that is heard while a reset is under way does not lose the new key")
    func statusDuringReset() async throws {
        let device = bench.device()
        let service = try device.service()
        try await service.set(.first)
        let request = try await service.requestReset()
        let code = try #require(bench.server.mailedCode)
        // Another process of the device, with a line of its own.
        let other = AccountBench.Device(sharing: device, line: bench.device().line)
        device.line.gate.close()
        let reset = Task { try await service.reset(code: code, of: request, to: .second) }
        await device.line.gate.waitForHeld(1)
        #expect(try await other.service().synchronise()?.notices == [.notCarriedOut(.reset)])
        device.line.gate.open()
        guard case .reset(let proof) = try await reset.value,
            case .right(let verified) = try await service.verify(.second)
        else {
            Issue.record("not reset")
            return
        }
        #expect(verified.key?.text == proof.key?.text)
    }

    @Test("P-35: a reset after which the device has logged out gives no key that is stored nowhere")
    func loggedOutDuringReset() async throws {
        let device = bench.device()
        let service = try device.service()
        try await service.set(.first)
        let request = try await service.requestReset()
        let code = try #require(bench.server.mailedCode)
        device.line.gate.close()
        let reset = Task { try await service.reset(code: code, of: request, to: .second) }
        await device.line.gate.waitForHeld(1)
        try await device.service().clearAll()
        device.line.gate.open()
        #expect(await accountError { _ = try await reset.value } == .conflict)
        #expect(try await device.isEmpty)
    }

    @Test("P-13, P-51: biometrics wait for the passcode while the account has to be asked, and after a reset")
    func biometrics() async throws {
        let device = bench.device()
        let service = try device.service()
        try await service.set(.first)
        #expect(try await service.enableBiometrics(.first).isRight)
        #expect(try await service.biometrics().isUsable)
        bench.server.replacePasscode(.second)
        try await service.synchronise()
        #expect(try await !service.biometrics().isUsable)
        guard case .right(let proof) = try await service.verify(.second) else {
            Issue.record("not right")
            return
        }
        #expect(try await service.biometrics().isUsable)
        #expect(await device.biometrics.key?.text == proof.key?.text, "they release the key that counts")
    }

    // MARK: Logging out

    @Test("P-9: logging out clears this user's data and nobody else's; the account keeps the passcode")
    func clearAll() async throws {
        let device = bench.device()
        try await device.service().set(.first)
        try await device.service().noteAsked()
        let other = try device.service(.bob, hasAccount: false)
        try await other.set(.second)
        try await device.service().clearAll()
        #expect(try await device.service().status().isSet == false)
        #expect(try await device.service().wasAsked())
        #expect(try await other.verify(.second).isRight)
        #expect(bench.server.holds(.first))
        try await device.service().synchronise()
        #expect(try await device.service().verify(.first).isRight)
    }

    @Test("P-50: a passcode of this device alone that meets an account", arguments: [true, false])
    func meets(_ accountHasOne: Bool) async throws {
        let device = bench.device()
        try await device.service(hasAccount: false).set(.first)
        if accountHasOne { bench.server.replacePasscode(.second) }
        let service = try device.service()
        try await service.synchronise()
        #expect(try await service.status().standing == (accountHasOne ? .unconfirmed : .pendingUpload))
        let passcode: SecretBytes = accountHasOne ? .second : .first
        #expect(try await service.verify(passcode).isRight)
        try await service.push(passcode)
        #expect(bench.server.holds(passcode))
    }

    @Test("P-52: a server that has checked a code replaces the passcode and clears the count")
    func replace() async throws {
        let service = try bench.device().service(hasAccount: false)
        try await service.set(.first)
        for _ in 0..<5 { _ = try await service.verify(.second) }
        try await service.replace(with: .third)
        #expect(try await service.status().failures == 0)
        #expect(try await service.verify(.third).isRight)
    }

    @Test("P-50, P-52: a passcode that an account shares is not replaced on one device")
    func replaceShared() async throws {
        let device = bench.device()
        try await device.service().set(.first)
        for hasAccount in [false, true] {
            let service = try device.service(hasAccount: hasAccount)
            let error = await #expect(throws: PasscodeError.self) { try await service.replace(with: .third) }
            #expect(error?.account == .unavailable)
            #expect(error.map { PasscodeStrings.english.text($0) }?.contains("needs its account") == true)
            #expect(try await service.status().standing == .confirmed)
            #expect(try await service.verify(.first).isRight)
        }
    }
}
