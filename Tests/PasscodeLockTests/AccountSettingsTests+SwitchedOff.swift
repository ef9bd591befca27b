import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

// What a passcode opens that was changed and then switched off on another device.
extension AccountSettingsTests {
    @Test("P-51: changed, then switched off elsewhere, it opens only if the account says so once more")
    func setAgainAfterSwitchOff() async throws {
        let device = bench.device()
        let service = try device.service()
        try await service.set(.first)
        bench.server.replacePasscode(.second)
        try await service.synchronise()
        bench.server.removePasscode()
        try await service.synchronise()
        // The device does not hear of the next passcode.
        bench.server.replacePasscode(.third)
        device.line.setOffline(true)
        let offline = await #expect(throws: PasscodeError.self) { try await service.verify(.first) }
        #expect(offline?.account == .unreachable)
        let bare = try device.service(hasAccount: false)
        let refused = await #expect(throws: PasscodeError.self) { try await bare.verify(.first) }
        #expect(refused?.account == .unavailable)
        let status = try await service.status()
        #expect(status.standing == .switchedOff && status.failures == 0)
        device.line.setOffline(false)
        guard case .wrong = try await service.verify(.first) else {
            Issue.record("the old passcode opens")
            return
        }
        #expect(try await service.status().standing == .unconfirmed)
        #expect(try await service.verify(.third).isRight)
    }
}
