import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

/// Logging out while the account is asked for its status.
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
}
