import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

// What opens after the passcode was changed or switched off on another device.
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

    @Test("P-31, P-51: a passcode of the account alone is entered in the format in which it was heard of")
    func formatOfOtherDevice() async throws {
        var device = bench.device()
        bench.server.replacePasscode(.first)
        try await device.service().synchronise()
        // As a later version of the app, which has another format for new passcodes.
        device.configuration.format = .digits(4)
        #expect(try await device.service().status().format == .digits(6))
        #expect(try await device.service().verify(.first).isRight)
        #expect(try await device.service().status().format == .digits(6))
    }
}
