import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

/// What a log-out and other processes do while the account is asked for its status.
extension AccountResetTests {
    @Test(
        "P-9, P-51: a status that was asked for before a log-out makes no record after it",
        arguments: [false, true]
    )
    func loggedOutDuringStatus(isShared: Bool) async throws {
        let device = bench.device()
        try await device.service(hasAccount: isShared).set(.first)
        if !isShared { bench.server.replacePasscode(.second) }
        device.line.gate.close()
        let asking = Task { try await device.service().synchronise() }
        await device.line.gate.waitForHeld(1)
        try await device.service().clearAll()
        device.line.gate.open()
        let report = try await asking.value
        #expect(report?.hasPasscode == true && report?.notices == [])
        #expect(try await device.isEmpty)
        // After the next login the device hears of the passcode again.
        try await device.service().synchronise()
        #expect(try await device.service().status().standing == .unconfirmed)
    }

    @Test("P-51: a status makes a record if a refused first passcode was removed meanwhile")
    func refusedDuringStatus() async throws {
        let device = bench.device()
        let other = AccountBench.Device(sharing: device, line: bench.device().line)
        other.line.gate.close()
        other.line.failNext(.set, .serverFailure)
        let setting = Task { try await other.service().set(.first) }
        await other.line.gate.waitForHeld(1)
        device.line.gate.close()
        let asking = Task { try await device.service().synchronise() }
        await device.line.gate.waitForHeld(1)
        other.line.gate.open()
        await #expect(throws: PasscodeError.self) { try await setting.value }
        #expect(try await device.isEmpty)
        bench.server.replacePasscode(.second)
        device.line.gate.open()
        #expect(try await asking.value?.hasPasscode == true)
        #expect(try await device.service().status().standing == .unconfirmed)
    }

    @Test("P-9, P-35, P-51: a log-out while a reset settles an earlier act leaves no record")
    func loggedOutDuringSettling() async throws {
        let device = bench.device()
        let service = try device.service()
        try await service.set(.first)
        let request = try await service.requestReset()
        let code = try #require(bench.server.mailedCode)
        device.line.failNext(.reset, .lostRequest)
        await #expect(throws: PasscodeError.self) {
            try await service.reset(code: code, of: request, to: .second)
        }
        device.line.gate.close()
        let reset = Task { try await service.reset(code: code, of: request, to: .second) }
        await device.line.gate.waitForHeld(1)
        try await device.service().clearAll()
        device.line.gate.open()
        let error = await #expect(throws: PasscodeError.self) { try await reset.value }
        #expect(error?.account == .conflict)
        #expect(try await device.isEmpty)
        #expect(bench.server.holds(.first), "nothing was sent")
    }

    @Test("P-35, P-51: a reset settles a first passcode that was never sent, and sets the passcode")
    func resetAfterUnsentPasscode() async throws {
        let device = bench.device()
        let other = AccountBench.Device(sharing: device, line: bench.device().line)
        other.line.gate.close()
        let setting = Task { try await other.service().set(.first) }
        await other.line.gate.waitForHeld(1)
        let service = try device.service()
        let request = try await service.requestReset()
        let code = try #require(bench.server.mailedCode)
        guard case .reset = try await service.reset(code: code, of: request, to: .second) else {
            Issue.record("not reset")
            return
        }
        #expect(bench.server.holds(.second))
        #expect(try await service.status().standing == .confirmed)
        other.line.gate.open()
        let error = await #expect(throws: PasscodeError.self) { try await setting.value }
        #expect(error?.code == .alreadySet)
    }
}
