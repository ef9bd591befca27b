import LockScreens
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@Suite("A passcode whose key is sealed in hardware (H-2, H-3)", .timeLimit(.minutes(5)))
struct HardwareSealerTests {
    let right = SecretBytes("834912")
    let wrong = SecretBytes("270954")
    let missing = PasscodeSealerError(code: .hardwareMissing, message: "no chip")

    func bench(limit: Int? = nil) -> Bench {
        var bench = Bench()
        bench.sealer = FastPasscodeSealer(tryLimit: limit)
        bench.configuration.throttle = .unlimited
        return bench
    }

    func sealerCode(_ body: () async throws(PasscodeError) -> Void) async -> PasscodeSealerError.Code? {
        do throws(PasscodeError) {
            try await body()
            return nil
        } catch {
            return (error.cause as? PasscodeSealerError)?.code
        }
    }

    @Test(
        "H-3: hardware that cannot be used is its own error, and nothing is counted or written",
        arguments: PasscodeSealerErrorCode.ofHardware.sorted { $0.name < $1.name }
    )
    func notReady(_ code: PasscodeSealerError.Code) async throws {
        let bench = bench()
        let store = RecordingSecretStore(InMemorySecretStore(bench.storage))
        let service = try bench.service(store: store)
        try await service.set(right)
        store.forgetCalls()
        bench.sealer.setOutage(PasscodeSealerError(code: code, message: "chip"))
        for passcode in [right, wrong] {
            #expect(
                await sealerCode { () async throws(PasscodeError) in _ = try await service.verify(passcode) }
                    == code
            )
        }
        #expect(store.count(of: .write) == 0)
        #expect(
            bench.sealer.questions == 2,
            "once for each passcode: hardware that is not there takes its time"
        )
        bench.sealer.setOutage(nil)
        #expect(try await service.status().failures == 0)
        #expect(try await service.verify(right).isRight)
    }

    @Test("H-3: an app can demand the hardware before it shows what it may have to lock")
    func demanded() async throws {
        let bench = bench(limit: 3)
        let service = try bench.service(store: InMemorySecretStore(bench.storage))
        bench.sealer.setOutage(missing)
        try await service.demandHardware()
        bench.sealer.setOutage(nil)
        try await service.set(right)
        try await service.demandHardware()
        for code in PasscodeSealerErrorCode.ofHardware {
            bench.sealer.setOutage(PasscodeSealerError(code: code, message: "chip"))
            let thrown = await sealerCode { () async throws(PasscodeError) in
                try await service.demandHardware()
            }
            #expect(thrown == (code == .hardwareMissing ? code : nil))
        }
    }

    @Test("H-3: hardware that is lost during a try leaves the count as it was")
    func lostMeanwhile() async throws {
        let bench = bench()
        let service = try bench.service()
        try await service.set(right)
        _ = try await service.verify(wrong)
        bench.sealer.failNext(missing)
        #expect(
            await sealerCode { () async throws(PasscodeError) in _ = try await service.verify(right) }
                == .hardwareMissing
        )
        #expect(try await service.status().failures == 1, "the one before")
    }

    @Test("H-3, P-6: a try that was not made is not taken back where another one came after it")
    func takenBackAlone() async throws {
        let bench = bench()
        let service = try bench.service()
        try await service.set(right)
        bench.sealer.gate.close()
        let first = Task { try await service.verify(wrong) }
        await bench.sealer.gate.waitForHeld(1)
        var other = bench
        other.sealer = FastPasscodeSealer()
        guard case .wrong(2, _) = try await other.service().verify(wrong) else {
            Issue.record("the second wrong one")
            return
        }
        bench.sealer.failNext(missing)
        bench.sealer.gate.open()
        guard case .failure = await first.result else {
            Issue.record("the first one was not made")
            return
        }
        #expect(try await service.status().failures == 2)
    }

    @Test("H-3: a right passcode leaves no count where what it was asked for fails")
    func consequenceFails() async throws {
        let full = PasscodeSealerError(code: .hardwareFull, message: "no room")
        let sealer = FullSealer(full)
        var device = AccountBench().device()
        device.sealer = sealer
        let other = try device.service(hasAccount: false)
        try await other.set(right)
        sealer.isFull.withLock { $0 = true }
        _ = try await other.verify(wrong)
        let new = SecretBytes("617305")
        #expect(
            await sealerCode { () async throws(PasscodeError) in
                _ = try await other.change(from: right, to: new)
            }
                == .hardwareFull
        )
        #expect(try await other.status().failures == 0)
        #expect(try await other.verify(right).isRight, "the old one holds")
    }

    @Test("H-3, P-50: a passcode that the account has confirmed is not counted where it cannot be sealed")
    func confirmedUnsealed() async throws {
        let bench = AccountBench()
        var device = bench.device()
        let other = bench.device()
        try await other.service().set(right)
        let sealer = FullSealer(PasscodeSealerError(code: .hardwareMissing, message: "no chip"))
        sealer.isFull.withLock { $0 = true }
        device.sealer = sealer
        let service = try device.service()
        _ = try await service.synchronise()
        #expect(
            await sealerCode { () async throws(PasscodeError) in _ = try await service.verify(right)
            }
                == .hardwareMissing
        )
        #expect(try await service.status().failures == 0)
        sealer.isFull.withLock { $0 = false }
        #expect(try await service.verify(right).isRight)
    }

    @Test("H-3: a record of another sealer is told as that, and nothing is counted")
    func foreignRecord() async throws {
        let bench = AccountBench()
        var device = bench.device()
        try await device.service(hasAccount: false).set(right)
        device.sealer = ForeignSealer()
        let service = try device.service(hasAccount: false)
        #expect(
            await sealerCode { () async throws(PasscodeError) in
                _ = try await service.verify(right)
            } == .unknownAlgorithm
        )
        #expect(try await service.status().failures == 0)
    }

    @Test("H-2: at the hardware's limit the right passcode is refused as well, and neither is counted")
    func exhausted() async throws {
        let bench = bench(limit: 2)
        let service = try bench.service()
        try await service.set(right)
        for failures in 1...2 {
            guard case .wrong(failures, _) = try await service.verify(wrong) else {
                Issue.record("a wrong passcode is wrong")
                return
            }
        }
        var events = service.events().makeAsyncIterator()
        for passcode in [right, wrong] {
            guard case .triesExhausted = try await service.verify(passcode) else {
                Issue.record("the hardware takes no more")
                return
            }
            #expect(await events.next()?.kind == .triesExhausted)
        }
        #expect(try await service.status().failures == 2)
        try await service.logOut()
        #expect(try await !service.status().isSet, "the way out")
    }

    @Test("H-2: a right passcode before the limit resets the hardware's count")
    func resets() async throws {
        let bench = bench(limit: 2)
        let service = try bench.service()
        try await service.set(right)
        for _ in 0..<3 {
            _ = try await service.verify(wrong)
            #expect(try await service.verify(right).isRight)
        }
    }

    @Test("H-3: during a delay the hardware is not asked")
    func throttled() async throws {
        var bench = bench()
        bench.configuration.throttle = .escalating
        let service = try bench.service()
        try await service.set(right)
        for _ in 0..<5 { _ = try await service.verify(wrong) }
        bench.sealer.setOutage(missing)
        let questions = bench.sealer.questions
        guard case .throttled = try await service.verify(right) else {
            Issue.record("a delay is served")
            return
        }
        #expect(bench.sealer.questions == questions)
    }

    @Test("H-2: a limit that is reached between the question and the try counts nothing")
    func reachedMeanwhile() async throws {
        let bench = AccountBench()
        var device = bench.device()
        device.configuration.throttle = .unlimited
        _ = try await device.service().set(right)
        device.sealer = SpentSealer()
        guard case .triesExhausted = try await device.service().verify(right) else {
            Issue.record("the hardware takes no more")
            return
        }
        #expect(try await device.service().status().failures == 0)
    }

    @Test("H-2, P-50: the account's answer does not replace a key that the hardware refuses to open")
    func account() async throws {
        let bench = AccountBench()
        var device = bench.device()
        let other = bench.device()
        guard let key = try await device.service().set(right).key else {
            Issue.record("a passcode opens a key")
            return
        }
        _ = try await other.service().synchronise()
        let new = SecretBytes("617305")
        #expect(try await other.service().change(from: right, to: new).isRight)
        _ = try await device.service().synchronise()
        #expect(try await device.service().status().standing == .unconfirmed)
        let software = device.sealer
        device.sealer = SpentSealer()
        guard case .triesExhausted = try await device.service().verify(new) else {
            Issue.record("the hardware takes no more")
            return
        }
        #expect(try await device.service().status().failures == 0)
        device.sealer = software
        let back = try await other.service().change(from: new, to: right)
        #expect(back.isRight)
        _ = try await device.service().synchronise()
        guard case .right(let proof) = try await device.service().verify(right) else {
            Issue.record("the passcode is right again")
            return
        }
        #expect(proof.key?.matches(key) == true)
    }

    @Test("H-2: the screens say that the hardware refuses, until the next digit")
    func screen() {
        var stage = Stage(LockScreen(format: .standard, generation: 3))
        stage.send(.appeared(retryAfter: .zero, .none))
        stage.type("834912")
        #expect(stage.send(.answered(.triesExhausted, generation: 3)).isEmpty)
        let refusal = "Too many wrong passcodes: the security chip refuses all of them now."
        #expect(stage.content.message?.text == "\(refusal) Log out to start anew.")
        stage.send(.recoverable(true))
        #expect(
            stage.content.message?.text
                == "\(refusal) Use the recovery passphrase, or log out to start anew."
        )
        #expect(PasscodeStrings.english.triesExhausted(isRecoverable: nil) == refusal)
        #expect(stage.content.message?.kind == .error)
        #expect(!stage.content.isBusy && stage.content.entry?.filled == 0)
        stage.type("8")
        #expect(stage.content.message == nil)
    }
}
