import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("Biometrics (P-10 … P-15)")
struct BiometricsTests {
    private let right = SecretBytes("834912")

    private func enabled(_ change: (inout Bench) -> Void = { _ in }) async throws -> (Bench, PasscodeService)
    {
        var bench = Bench()
        change(&bench)
        let service = try bench.service()
        try await service.set(right)
        _ = try await service.enableBiometrics(right)
        return (bench, service)
    }

    @Test("P-6, P-14: a cancelled task checks the passcode to the end, and switches biometrics on no more")
    func cancelledEnabling() async throws {
        let bench = Bench()
        let service = try bench.service()
        try await service.set(SecretBytes("834912"))
        bench.sealer.gate.close()
        let enabling = Task { try await service.enableBiometrics(SecretBytes("834912")) }
        await bench.sealer.gate.waitForHeld(1)
        enabling.cancel()
        bench.sealer.gate.open()
        let error = await #expect(throws: PasscodeError.self) { try await enabling.value }
        #expect(error?.code == .biometrics)
        #expect(await bench.biometrics.key == nil)
        let status = try await service.status()
        #expect(status.failures == 0 && !status.usesBiometrics)
    }

    @Test("P-10: availability is asked each time")
    func askedEachTime() async throws {
        let (bench, service) = try await enabled()
        #expect(try await service.biometrics().isUsable)
        await bench.biometrics.set { $0.state = .lockedOut }
        #expect(try await service.biometrics().isUsable == false)
        await bench.biometrics.set { $0.state = .available }
        #expect(try await service.biometrics().isUsable)
        #expect(try await service.biometrics().kind == .faceID)
    }

    @Test("P-11: enabled by choice, only with a passcode, per user; removing the passcode ends it")
    func byChoice() async throws {
        let bench = Bench()
        let service = try bench.service()
        #expect(try await service.biometrics().canEnable == false)
        guard case .notSet = try await service.enableBiometrics(right) else {
            Issue.record("biometrics without a passcode")
            return
        }
        try await service.set(right)
        #expect(try await service.biometrics().isEnabled == false)
        #expect(try await service.enableBiometrics(SecretBytes("270954")).isRight == false)
        #expect(try await service.biometrics().isEnabled == false)
        #expect(try await service.enableBiometrics(right).isRight)
        #expect(try await bench.service().biometrics().isEnabled, "it persists")
        #expect(try await bench.service(.bob).biometrics().isEnabled == false)
        _ = try await service.remove(right)
        try await service.set(right)
        #expect(try await service.biometrics().isEnabled == false)
    }

    @Test("P-12: the prompt says why and offers the passcode; success gives the key back")
    func success() async throws {
        let (bench, service) = try await enabled()
        guard case .right(let byPasscode) = try await service.verify(right),
            case .unlocked(let proof) = try await service.authenticate()
        else {
            Issue.record("biometrics did not unlock")
            return
        }
        #expect(proof.key!.matches(byPasscode.key!))
        let prompt = await bench.biometrics.prompts[0]
        #expect(prompt.reason == "Unlock Ledger")
        #expect(prompt.fallback == "Enter Passcode")
    }

    @Test("P-12: every other end is told as it is")
    func otherEnds() async throws {
        let (bench, service) = try await enabled()
        let ends: [BiometricOutcome] = [
            .passcodeChosen, .cancelled(by: .user), .cancelled(by: .system), .failed(message: "No match"),
            .notAvailable, .notEnrolled, .lockedOut,
        ]
        for end in ends {
            await bench.biometrics.answer(end)
            guard case .ended(let outcome) = try await service.authenticate() else {
                Issue.record("\(end) should be an end")
                return
            }
            #expect("\(outcome)" == "\(end)")
        }
    }

    @Test("P-13: changed fingers or faces are refused until the passcode was entered")
    func enrolmentChanged() async throws {
        let (bench, service) = try await enabled()
        await bench.biometrics.set { $0.enrolmentDigest = [2] }
        guard case .passcodeNeeded = try await service.authenticate() else {
            Issue.record("a changed enrolment was accepted")
            return
        }
        #expect(await bench.biometrics.prompts.isEmpty, "not even a prompt")
        _ = try await service.verify(SecretBytes("270954"))
        #expect(try await service.biometrics().isUsable == false, "not by a wrong passcode")
        _ = try await service.verify(right)
        guard case .unlocked = try await service.authenticate() else {
            Issue.record("the passcode did not renew the baseline")
            return
        }
    }

    @Test(
        "P-13, H-5: a passcode enrolls no key where that needs the person, who switches biometrics on again"
    )
    func enrollingAsks() async throws {
        let (bench, service) = try await enabled()
        await bench.biometrics.set { ($0.enrolmentDigest, $0.asksToEnroll) = ([2], true) }
        await bench.biometrics.onNextEnrolment { Issue.record("a right passcode asked for an enrolment") }
        #expect(try await service.verify(right).isRight)
        let offer = try await service.biometrics()
        #expect(!offer.isEnabled && !offer.isUsable && offer.canEnable)
        await bench.biometrics.onNextEnrolment {}
        #expect(try await service.enableBiometrics(right).isRight)
        #expect(try await service.biometrics().isUsable)
    }

    @Test("P-13: a missing baseline is refused")
    func missingBaseline() async throws {
        let (_, service) = try await enabled { bench in _ = bench }
        #expect(try await service.biometrics().isUsable)
        let bench = Bench()
        await bench.biometrics.set { $0.enrolmentDigest = nil }
        let unknown = try bench.service()
        try await unknown.set(right)
        #expect(try await !unknown.biometrics().canEnable)
        let error = await #expect(throws: PasscodeError.self) { try await unknown.enableBiometrics(right) }
        #expect(error?.code == .biometrics)
        #expect(try await !unknown.status().usesBiometrics)
        guard case .passcodeNeeded = try await unknown.authenticate() else {
            Issue.record("biometrics without a baseline")
            return
        }
    }

    @Test("P-13: a change while the prompt is shown voids its success")
    func changedDuringPrompt() async throws {
        let (bench, service) = try await enabled()
        await bench.biometrics.hold()
        let attempt = Task { try await service.authenticate() }
        try await BoundedWait.until { await bench.biometrics.isPrompting }
        await bench.biometrics.set { $0.enrolmentDigest = [9] }
        await bench.biometrics.release(.success(key: SecretBytes(randomCount: 32)))
        guard case .passcodeNeeded = try await attempt.value else {
            Issue.record("a success of changed fingers was accepted")
            return
        }
    }

    @Test("P-15: a sealed session takes only authenticators that release a key")
    func sealed() async throws {
        let (bench, service) = try await enabled { $0.configuration.unlockNeedsKey = true }
        #expect(try await service.biometrics().isUsable)
        await bench.biometrics.set { $0.binding = .assertion }
        #expect(try await service.biometrics().isUsable == false)
        await bench.biometrics.set { $0.binding = .key }
        await bench.biometrics.answer(.success(key: nil))
        guard case .passcodeNeeded = try await service.authenticate() else {
            Issue.record("a sealed session was unlocked without a key")
            return
        }
    }

    @Test("P-15: a success without the key that was promised opens nothing; the passcode gives the key anew")
    func keyLost() async throws {
        let (bench, service) = try await enabled()
        let given = try #require(await bench.biometrics.key)
        try await bench.biometrics.forget(.device)
        await bench.biometrics.answer(.success(key: nil))
        guard case .passcodeNeeded = try await service.authenticate(),
            case .passcodeNeeded = try await service.authenticate()
        else {
            Issue.record("a session was unlocked without the key")
            return
        }
        #expect(await bench.biometrics.prompts.count == 1, "not even a prompt until the passcode was entered")
        #expect(try await service.biometrics().isEnabled, "the choice stays")
        #expect(try await service.verify(right).isRight)
        guard case .unlocked(let proof) = try await service.authenticate() else {
            Issue.record("the passcode did not give the key anew")
            return
        }
        #expect(proof.key?.matches(given) == true)
    }

    @Test("P-15: nor where the authenticator calls it an assertion while the prompt is up")
    func keyNotPromisedAnyMore() async throws {
        let (bench, service) = try await enabled()
        await bench.biometrics.hold()
        let attempt = Task { try await service.authenticate() }
        try await BoundedWait.until { await bench.biometrics.isPrompting }
        await bench.biometrics.set { $0.binding = .assertion }
        await bench.biometrics.release(.success(key: nil))
        guard case .passcodeNeeded = try await attempt.value else {
            Issue.record("a session was unlocked without the key")
            return
        }
    }

    @Test("P-15: an authenticator that only asserts opens without a key, as often as it is asked")
    func asserting() async throws {
        let bench = Bench()
        await bench.biometrics.set { $0.binding = .assertion }
        let service = try bench.service()
        try await service.set(right)
        _ = try await service.enableBiometrics(right)
        for _ in 0..<2 {
            await bench.biometrics.answer(.success(key: nil))
            guard case .unlocked(let proof) = try await service.authenticate() else {
                Issue.record("an assertion did not unlock")
                return
            }
            #expect(proof.key == nil)
        }
    }

    @Test(
        "H-7, P-33: a reader that does not answer stops neither the right passcode nor a log-out",
        .timeLimit(.minutes(5))
    )
    func silentReader() async throws {
        let (bench, service) = try await enabled()
        let silence = Gate()
        silence.close()
        await bench.biometrics.set { $0.enrolmentDigest = [2] }
        await bench.biometrics.onNextLook { _ = await silence.pass() }
        let verifying = Task { [right] in try await service.verify(right) }
        await silence.waitForHeld(1)
        await bench.clock.waitForSleepers(1)
        await bench.clock.advance(by: .seconds(5))
        #expect(try await verifying.value.isRight)
        #expect(try await !service.biometrics().isUsable, "nothing was enrolled")
        #expect(try await service.verify(right).isRight)
        #expect(try await service.biometrics().isUsable)
        await bench.biometrics.onNextForgetting { _ = await silence.pass() }
        await bench.biometrics.failForgetting()
        let leaving = Task { try await service.logOut() }
        await silence.waitForHeld(1)
        await bench.clock.waitForSleepers(1)
        await bench.clock.advance(by: .seconds(5))
        let error = await #expect(throws: PasscodeError.self) { try await leaving.value }
        #expect(error?.code == .biometrics)
        #expect(await bench.host.signedOut == [.ada])
        #expect(try await bench.record() == nil)
    }

    @Test("P-7: biometrics do not reset the count")
    func doesNotReset() async throws {
        let (_, service) = try await enabled()
        _ = try await service.verify(SecretBytes("270954"))
        _ = try await service.authenticate()
        #expect(try await service.status().failures == 1)
    }
}
