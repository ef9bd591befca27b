import LockScreens
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("What the screens want done is done (P-30 … P-37)", .timeLimit(.minutes(5)))
@MainActor
struct ScreenEffectsTests {
    private let bench = Bench()
    private let right = "834912"
    private let other = "270954"

    private func type<Screen: ContentScreen>(_ digits: String, into presenter: ScreenPresenter<Screen>) {
        for digit in digits { presenter.send(.digit(digit.wholeNumberValue!)) }
    }

    @Test("P-34: a change is made and told; the delay after a wrong passcode is counted down")
    func change() async throws {
        let service = try bench.service()
        try await service.set(SecretBytes(right))
        for _ in 0..<4 { _ = try await service.verify(SecretBytes(other)) }
        let effects = ScreenEffects(service: service)
        var ending: SetPasscodeScreen.Ending?
        let presenter = effects.setPasscode(.change, status: try await service.status()) { ending = $0 }
        type(other, into: presenter)
        try await BoundedWait.until { presenter.content.message?.kind == .countDown }
        for _ in 0..<60 {
            await bench.clock.waitForSleepers(1)
            await bench.clock.advance(by: .seconds(1))
        }
        try await BoundedWait.until { presenter.content.message == nil }
        type(right, into: presenter)
        try await BoundedWait.until { !presenter.content.isBusy && presenter.content.entry?.filled == 0 }
        type(other + other, into: presenter)
        try await BoundedWait.until { ending != nil }
        #expect(try await service.verify(SecretBytes(other)).isRight)
        for _ in 0..<5 { _ = try await service.verify(SecretBytes(right)) }
        let delayed = effects.setPasscode(.change, status: try await service.status()) { _ in }
        #expect(delayed.content.message?.kind == .countDown, "also a delay from before")
    }

    @Test("P-7, P-34, P-35: a screen that leaves the action of the limit to the app stays, and says so")
    func limitDue() async throws {
        var bench = bench
        bench.configuration.throttle = .unlimited.afterFailures(1, .signOut)
        bench.configuration.carriesOutLimitAction = false
        let service = try bench.service()
        try await service.set(SecretBytes(right))
        let effects = ScreenEffects(service: service)
        let status = try await service.status()
        var isOver = false
        let ask = effects.askPasscode(
            status: status,
            to: { passcode throws(PasscodeError) in try await service.verify(passcode) },
            finish: { _ in isOver = true }
        )
        let change = effects.setPasscode(.change, status: status) { _ in isOver = true }
        // The right passcode is accepted before the limit is reached, and no more when the new one is saved.
        type(right, into: change)
        try await BoundedWait.until { !change.content.isBusy && change.content.entry?.filled == 0 }
        type(other, into: ask)
        try await BoundedWait.until { ask.content.message?.text == PasscodeStrings.english.limitDue }
        await bench.clock.advance(by: .seconds(60))
        type(other + other, into: change)
        try await BoundedWait.until { change.content.message?.text == PasscodeStrings.english.limitDue }
        let again = effects.setPasscode(.change, status: status) { _ in isOver = true }
        type(right, into: again)
        try await BoundedWait.until { again.content.message?.text == PasscodeStrings.english.limitDue }
        #expect(!isOver)
        #expect(try await service.status().isSet)
    }

    @Test("P-34: a host is told once that a screen closes, also where Cancel is pressed twice")
    func cancelledTwice() async throws {
        let service = try bench.service()
        let status = try await service.status()
        var endings = 0
        let presenter = ScreenEffects(service: service).setPasscode(.create, status: status) { _ in
            endings += 1
        }
        for _ in 0..<2 { presenter.send(.activate(.cancel)) }
        try await BoundedWait.until { endings > 0 }
        for _ in 0..<100 { await Task.yield() }
        #expect(endings == 1)
    }

    @Test("P-41: the offer is noted whether a passcode is set or not, and then it ends")
    func offer() async throws {
        for isSet in [false, true] {
            let bench = Bench()
            let service = try bench.service()
            var isOver = false
            let presenter = ScreenEffects(service: service).firstSetUp { _ in isOver = true }
            if isSet { type(right + right, into: presenter) } else { presenter.send(.activate(.setUpLater)) }
            try await BoundedWait.until { isOver }
            #expect(try await service.wasAsked())
            #expect(try await service.status().isSet == isSet)
        }
    }

    @Test("P-41: a passcode that was set is set, also where it cannot be noted that it was offered")
    func notNoted() async throws {
        let failing = FailingSecretStore(InMemorySecretStore(bench.storage))
        let store = InterruptedSecretStore(failing, before: .write, number: 1) {
            failing.failNext(.write, with: SecretStoreError(code: .diskFull, message: "no space is left"))
        }
        let service = try bench.service(store: store)
        var ending: FirstSetUpScreen.Ending?
        let presenter = ScreenEffects(service: service).firstSetUp { ending = $0 }
        type(right + right, into: presenter)
        try await BoundedWait.until { ending != nil }
        guard case .saved = ending else {
            Issue.record("not saved")
            return
        }
        #expect(try await service.status().isSet)
        #expect(try await !service.wasAsked())
    }

    @Test("P-35: what was asked for is done with the passcode, and the screen ends")
    func ask() async throws {
        let service = try bench.service()
        try await service.set(SecretBytes(right))
        var ending: AskPasscodeScreen.Ending?
        let presenter = ScreenEffects(service: service).askPasscode(
            status: try await service.status(),
            to: { passcode throws(PasscodeError) in try await service.remove(passcode) },
            finish: { ending = $0 }
        )
        type(right, into: presenter)
        try await BoundedWait.until { ending != nil }
        #expect(try await !service.status().isSet)
    }

    @Test("P-35: settings show what is set, set what is chosen, and open what is asked for")
    func settings() async throws {
        let account = AccountBench()
        let service = try account.device().service()
        try await service.set(.first)
        _ = try await service.enableBiometrics(.first)
        var opened: [SecuritySettingsScreen.Effect] = []
        let presenter = ScreenEffects(service: service).securitySettings { opened.append($0) }
        func isOn(_ id: ControlID) -> Bool? {
            for control in presenter.content.controls where control.id == id {
                if case .toggle(let isOn) = control.kind { return isOn }
            }
            return nil
        }
        func settle() async throws { try await BoundedWait.until { !presenter.content.isBusy } }
        try await BoundedWait.until { isOn(.biometrics) == true }
        try await settle()
        presenter.send(.choose(.timeout, 0))
        try await settle()
        #expect(try await service.status().timeout == LockTimeout.choices[0])
        presenter.send(.activate(.biometrics))
        try await settle()
        #expect(try await !service.biometrics().isEnabled)
        #expect(isOn(.biometrics) == false)
        for id in [ControlID.biometrics, .passcode, .change, .sendReset] {
            presenter.send(.activate(id))
            try await settle()
        }
        presenter.send(.activate(.ok))
        try await BoundedWait.until { opened.count == 5 }
        guard case .openReset = opened[3] else {
            Issue.record("\(opened)")
            return
        }
        opened.remove(at: 3)
        #expect(opened == [.openEnableBiometrics, .openRemove, .openChange, .finish])
        #expect(account.server.mailedCode != nil)
        account.server.setEnabled(false)
        let again = ScreenEffects(service: service).securitySettings { _ in }
        try await BoundedWait.until { again.content.message?.kind == .notice }
    }
}
