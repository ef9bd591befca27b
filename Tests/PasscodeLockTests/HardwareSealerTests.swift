import LockScreens
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@Suite("A passcode whose key is sealed in hardware (H-2, H-3)", .timeLimit(.minutes(5)))
struct HardwareSealerTests {
    private let right = SecretBytes("834912")
    private let wrong = SecretBytes("270954")
    private let missing = PasscodeSealerError(code: .hardwareMissing, message: "no chip")

    private func bench(limit: Int? = nil) -> Bench {
        var bench = Bench()
        bench.sealer = FastPasscodeSealer(tryLimit: limit)
        bench.configuration.throttle = .unlimited
        return bench
    }

    private func sealerCode(_ body: () async throws(PasscodeError) -> Void) async -> PasscodeSealerError.Code?
    {
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

    /// A sealer that cannot forget at its first try, and notes what it is to forget.
    private final class ForgetfulSealer: PasscodeSealer {
        private let base = FastPasscodeSealer()
        private let asked = Mutex<[[SealedKey]]>([])
        let parameters = FastPasscodeSealer().parameters

        var questions: [[SealedKey]] { asked.withLock { $0 } }

        func seal(
            _ key: SecretBytes,
            under passcode: SecretBytes,
            context: String
        ) async throws(PasscodeSealerError) -> SealedKey {
            try await base.seal(key, under: passcode, context: context)
        }

        func open(
            _ sealed: SealedKey,
            with passcode: SecretBytes,
            context: String
        ) async throws(PasscodeSealerError) -> SealOpening {
            try await base.open(sealed, with: passcode, context: context)
        }

        func settle(
            _ touched: [SealedKey],
            context: String,
            recorded: @Sendable () async throws(PasscodeSealerError) -> [SealedKey]
        ) async throws(PasscodeSealerError) {
            let isFirst = asked.withLock { asked in
                asked.append(touched)
                return asked.count == 1
            }
            if isFirst { throw PasscodeSealerError(code: .hardwareBusy, message: "busy") }
        }
    }

    @Test("H-3: what the chip could not forget is forgotten after the next right passcode, and no other act")
    func forgottenLater() async throws {
        let (bench, sealer) = (bench(), ForgetfulSealer())
        let service = try PasscodeService(
            user: .ada,
            backends: Backends(
                secrets: InMemorySecretStore(bench.storage),
                sealer: sealer,
                clock: bench.clock
            ),
            session: bench.host,
            configuration: bench.configuration
        )
        try await service.set(right)
        #expect(sealer.questions.count == 1)
        #expect(try await !service.verify(wrong).isRight)
        try await service.setTimeout(.never)
        #expect(sealer.questions.count == 1)
        #expect(try await service.verify(right).isRight)
        try await BoundedWait.until("the second question") { sealer.questions.count == 2 }
        #expect(sealer.questions[1] == sealer.questions[0])
        #expect(try await service.verify(right).isRight)
        for _ in 0..<200 { await Task.yield() }
        #expect(sealer.questions.count == 2)
    }

    @Test(
        "H-3, P-51: the chip forgets a passcode that the account has replaced or switched off",
        arguments: [true, false]
    )
    func forgottenByStatus(isSwitchedOff: Bool) async throws {
        let accounts = AccountBench()
        var device = accounts.device()
        device.sealer = FastPasscodeSealer(tryLimit: 5)
        let service = try device.service()
        try await service.set(right)
        let store = InMemorySecretStore(device.storage)
        let older = try #require(try await store.read(PasscodeNames.record(of: .ada)))
        if isSwitchedOff {
            accounts.server.removePasscode()
            _ = try await service.synchronise()
            #expect(try await service.verify(right).isRight, "it opens once more, and is gone then")
        } else {
            device.line.failNext(.change, .lostAnswer)
            await #expect(throws: PasscodeError.self) {
                try await service.change(from: right, to: SecretBytes("617305"))
            }
            #expect(try await service.synchronise()?.notices == [.carriedOut(.change)])
        }
        try await store.write(
            older.value,
            to: PasscodeNames.record(of: .ada),
            accessibility: older.accessibility
        )
        let copied = try device.service()
        #expect(
            await sealerCode { () async throws(PasscodeError) in _ = try await copied.verify(right) }
                == .olderSeal
        )
    }

    @Test("H-3: a status that drops an act asks about the passcode alone, which the chip keeps")
    func keptByStatus() async throws {
        let accounts = AccountBench()
        var device = accounts.device()
        let sealer = ForgetfulSealer()
        device.sealer = sealer
        let service = try device.service()
        try await service.set(right)
        device.line.failNext(.change, .lostRequest)
        await #expect(throws: PasscodeError.self) {
            try await service.change(from: right, to: SecretBytes("617305"))
        }
        let asked = sealer.questions.count
        #expect(try await service.synchronise()?.notices == [.notCarriedOut(.change)])
        #expect(sealer.questions.count == asked + 1)
        #expect(sealer.questions.last == sealer.questions.first, "the key that was made by set")
        #expect(try await service.verify(right).isRight)
    }

    @Test("H-3: a status that drops a first passcode on its way leaves its key alone; a log-out does not")
    func keptOnItsWay() async throws {
        let accounts = AccountBench()
        var device = accounts.device()
        let sealer = ForgetfulSealer()
        device.sealer = sealer
        var other = AccountBench.Device(sharing: device, line: accounts.device().line)
        other.sealer = sealer
        for logsOut in [false, true] {
            let asked = sealer.questions.count
            device.line.gate.close()
            let setting = Task { [device, right] in try await device.service().set(right) }
            await device.line.gate.waitForHeld(1)
            if logsOut {
                try await other.service().clearAll()
                #expect(sealer.questions.count == asked + 1)
            } else {
                #expect(try await other.service().synchronise()?.notices == [.notCarriedOut(.set)])
                #expect(sealer.questions.count == asked)
            }
            #expect(try await device.isEmpty)
            device.line.gate.open()
            await #expect(throws: PasscodeError.self) { try await setting.value }
            accounts.server.loseEverything()
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

/// Hardware that opens what it holds, and takes no other key when a test says so.
private final class FullSealer: PasscodeSealer {
    let isFull = Mutex(false)
    private let base = FastPasscodeSealer()
    private let failure: PasscodeSealerError

    init(_ failure: PasscodeSealerError) { self.failure = failure }

    var parameters: Argon2Parameters { base.parameters }

    func seal(
        _ key: SecretBytes,
        under passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealedKey {
        if isFull.withLock({ $0 }) { throw failure }
        return try await base.seal(key, under: passcode, context: context)
    }

    func open(
        _ sealed: SealedKey,
        with passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealOpening {
        try await base.open(sealed, with: passcode, context: context)
    }
}

/// A sealer that knows no record but its own, and does not say so before.
private struct ForeignSealer: PasscodeSealer {
    var parameters: Argon2Parameters { .owaspMinimum }

    func seal(
        _ key: SecretBytes,
        under passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealedKey {
        throw PasscodeSealerError(code: .systemFailure, message: "it seals nothing")
    }

    func open(
        _ sealed: SealedKey,
        with passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealOpening {
        throw PasscodeSealerError(code: .unknownAlgorithm, message: "another sealer's record")
    }
}

/// Hardware that was ready when it was asked, and has reached its limit when it is to try.
private struct SpentSealer: PasscodeSealer {
    private let base = FastPasscodeSealer()

    var parameters: Argon2Parameters { base.parameters }

    func seal(
        _ key: SecretBytes,
        under passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealedKey {
        try await base.seal(key, under: passcode, context: context)
    }

    func open(
        _ sealed: SealedKey,
        with passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealOpening { .triesExhausted }
}
