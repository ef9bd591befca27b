import LockScreens
import PasscodeLock
import PortcullisCore
import Testing

@Suite("The security settings")
struct SecuritySettingsScreenTests {
    @Test("P-37: settings: on, off, change, timeout, biometrics by the kind's name")
    func settings() {
        let offer = BiometricOffer(kind: .touchID, isEnabled: false, isUsable: false, canEnable: true)
        var status = PasscodeStatus(
            isSet: false,
            isEnabled: false,
            failures: 0,
            retryAfter: .zero,
            format: .standard,
            timeout: .devicePreset,
            usesBiometrics: false,
            lock: LockMark()
        )
        var stage = Stage(SecuritySettingsScreen())
        #expect(stage.activate(.passcode).isEmpty, "nothing before it is known what is set")
        stage.send(.found(status, offer))
        #expect(stage.content.controls.map(\.id) == [.passcode, .ok])
        #expect(stage.activate(.passcode) == [.openCreate])

        status.isSet = true
        status.isEnabled = true
        stage.send(.found(status, offer))
        #expect(stage.content.controls.map(\.id) == [.passcode, .change, .timeout, .biometrics, .ok])
        #expect(stage.control(.biometrics)?.title == "Touch ID")
        guard case .choice(let options, let selected)? = stage.control(.timeout)?.kind else {
            Issue.record("no choice of timeouts")
            return
        }
        #expect(options == ["Immediately", "5 s", "1 min", "5 min", "15 min", "1 h", "Never"])
        #expect(selected == 1)
        #expect(stage.send(.input(.choose(.timeout, 6))) == [.setTimeout(.never)])
        stage.send(.found(status, offer))
        #expect(stage.send(.input(.choose(.timeout, 7))).isEmpty)
        #expect(stage.activate(.passcode) == [.openRemove])
        stage.send(.failed(message: "no space is left"))
        #expect(stage.content.message?.text == "no space is left")
        #expect(stage.activate(.biometrics) == [.openEnableBiometrics])

        status.isEnabled = false
        stage.send(.found(status, offer))
        #expect(stage.content.message?.text == "Disabled by your administrator")
    }

    @Test("P-37: with an account, the settings offer a reset and tell what it says of administrators")
    func settingsOfAccount() async throws {
        let bench = AccountBench()
        let service = try bench.device().service()
        let status = try await service.status()
        let offer = try await service.biometrics()
        var stage = Stage(SecuritySettingsScreen(hasAccount: true))
        #expect(stage.send(.appeared) == [.look, .synchronise])
        stage.send(.found(status, offer))
        #expect(stage.content.message == nil)
        stage.send(.heard(AccountReport(hasPasscode: false, isEnabled: false), status, offer))
        #expect(stage.content.message?.text == "Disabled by your administrator")
        #expect(stage.activate(.passcode).isEmpty, "none can be set against it")
        stage.send(.heard(AccountReport(hasPasscode: false, isEnabled: true), status, offer))
        #expect(stage.activate(.passcode) == [.openCreate])
        try await service.set(.first)
        stage.send(.found(try await service.status(), offer))
        #expect(stage.control(.sendReset)?.title == "Reset Passcode")
        #expect(stage.activate(.sendReset) == [.requestReset])
        stage.send(.heard(AccountReport(hasPasscode: true, isEnabled: true), status, offer))
        #expect(stage.content.isBusy, "what is under way answers for itself")
    }
}
