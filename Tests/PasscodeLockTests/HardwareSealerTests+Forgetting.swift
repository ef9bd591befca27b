import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

// When the hardware is asked to forget keys that left the record.
extension HardwareSealerTests {
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
}
