import LockScreens
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("Screens are busy until their act is over", .timeLimit(.minutes(5)))
@MainActor
struct BusyScreenTests {
    private let bench = Bench()

    private func proof() async throws -> UnlockProof {
        try await Bench().service().set(SecretBytes("834912"))
    }

    private let offer = BiometricOffer(kind: .faceID, isEnabled: true, isUsable: true, canEnable: true)

    @Test("P-31, P-32: after the right passcode the dots stay full and the screen busy until it is gone")
    func unlocking() async throws {
        let proof = try await proof()
        var stage = Stage(LockScreen(format: .standard, generation: 7))
        stage.send(.appeared(retryAfter: .zero, nil))
        stage.type("834912")
        #expect(stage.send(.answered(.right(proof), generation: 7)).count == 2)
        #expect(stage.content.isBusy)
        #expect(stage.content.entry?.filled == 6)
        #expect(stage.content.pad?.isEnabled == false)
        #expect(stage.control(.forgot)?.isEnabled == false)
        #expect(stage.type("1").isEmpty)
        #expect(stage.activate(.forgot).isEmpty)
        #expect(stage.content.alert == nil)
        stage.send(.unlockRefused)
        #expect(!stage.content.isBusy)
        #expect(stage.content.entry?.filled == 0, "it has to be entered again")
        #expect(stage.content.pad?.isEnabled == true)
    }

    @Test("P-6, P-32: the delay of a try that is being checked is shown only if the try was a failure")
    func countedBeforehand() async throws {
        let proof = try await proof()
        var stage = Stage(LockScreen(format: .standard, generation: 7))
        stage.send(.appeared(retryAfter: .zero, nil))
        func check(_ outcome: LockScreen.Event...) {
            stage.type("834912")
            stage.send(.appeared(retryAfter: .seconds(60), nil))
            #expect(stage.content.isBusy && stage.content.message == nil)
            for event in outcome { stage.send(event) }
        }
        check(.failed(.verification, message: "busy"))
        #expect(stage.content.message == ScreenMessage(.error, "busy"))
        #expect(stage.content.pad?.isEnabled == true)
        check(.answered(.right(proof), generation: 7), .unlockRefused)
        #expect(stage.content.message == nil)
        #expect(stage.content.pad?.isEnabled == true)
        check(.answered(.wrong(failures: 1, retryAfter: .zero), generation: 7))
        #expect(stage.content.message?.text == "Incorrect passcode")
        check(.answered(.wrong(failures: 2, retryAfter: .seconds(60)), generation: 7))
        #expect(stage.content.message?.kind == .countDown)
        #expect(stage.content.pad?.isEnabled == false)
    }

    @Test("P-6, P-34: nor do the screens that ask for the current passcode show that delay")
    func countedBeforehandElsewhere() async throws {
        let proof = try await proof()
        var ask = Stage(AskPasscodeScreen(format: .standard))
        ask.type("834912")
        ask.send(.appeared(retryAfter: .seconds(60)))
        ask.send(.failed(message: "busy"))
        #expect(ask.content.message == ScreenMessage(.error, "busy"))
        #expect(ask.content.pad?.isEnabled == true)
        ask.send(.appeared(retryAfter: .seconds(60)))
        #expect(ask.content.message?.kind == .countDown)
        var change = Stage(SetPasscodeScreen(mode: .change, format: .standard))
        change.type("834912")
        change.send(.appeared(retryAfter: .seconds(60)))
        change.send(.answered(.wrong(failures: 1, retryAfter: .zero)))
        #expect(change.content.message?.text == "Incorrect passcode")
        #expect(change.content.pad?.isEnabled == true)
        // Saving checks the current passcode once more.
        change.type("834912")
        change.send(.answered(.right(proof)))
        change.type("270954")
        change.type("270954")
        change.send(.appeared(retryAfter: .seconds(60)))
        change.send(.saved(.wrong(failures: 1, retryAfter: .zero)))
        #expect(change.content.message?.text == "Incorrect passcode")
    }

    @Test("P-14: a lock of another generation ends the wait for the old one, and only that")
    func generation() async throws {
        let proof = try await proof()
        var stage = Stage(LockScreen(format: .standard, generation: 7))
        stage.send(.appeared(retryAfter: .zero, nil))
        stage.type("834912")
        stage.send(.answered(.right(proof), generation: 7))
        stage.send(.generation(7))
        #expect(stage.content.isBusy, "the same one")
        stage.send(.generation(8))
        #expect(!stage.content.isBusy)
        #expect(stage.content.entry?.filled == 0)
        stage.type("834912")
        stage.send(.generation(9))
        #expect(stage.content.isBusy, "the passcode is still being looked at")
        #expect(stage.content.entry?.filled == 6)
    }

    @Test("P-32: after biometrics the screen is busy too, and free again when the lock refuses")
    func biometrics() async throws {
        let proof = try await proof()
        var stage = Stage(LockScreen(format: .standard, generation: 7))
        stage.send(.appeared(retryAfter: .zero, offer))
        stage.type("12")
        stage.send(.prompted(.unlocked(proof), generation: 7))
        #expect(stage.content.isBusy)
        #expect(stage.content.pad?.isEnabled == false)
        #expect(stage.control(.biometrics)?.isEnabled == false)
        stage.send(.unlockRefused)
        #expect(!stage.content.isBusy)
        #expect(stage.control(.biometrics)?.isEnabled == true)
        #expect(stage.content.entry?.filled == 2, "what was typed stays")
    }

    @Test("P-14, P-32: while it unlocks no prompt appears, and while it signs out none opens")
    func promptsMeanwhile() async throws {
        let proof = try await proof()
        var stage = Stage(LockScreen(format: .standard, generation: 7))
        stage.send(.appeared(retryAfter: .zero, offer))
        stage.send(.prompted(.ended(.cancelled(by: .user)), generation: 7))
        stage.type("834912")
        stage.send(.answered(.right(proof), generation: 7))
        #expect(stage.send(.appeared(retryAfter: .zero, offer)).isEmpty)
        stage.send(.unlockRefused)
        #expect(stage.send(.appeared(retryAfter: .zero, offer)).count == 1)
        stage.activate(.forgot)
        stage.activate(.logOut)
        #expect(stage.send(.prompted(.unlocked(proof), generation: 7)).isEmpty)
    }

    @Test("P-14, P-32: a touch that comes after the right passcode unlocks nothing a second time")
    func touchAfterPasscode() async throws {
        let proof = try await proof()
        var stage = Stage(LockScreen(format: .standard, generation: 7))
        stage.send(.appeared(retryAfter: .zero, offer))
        stage.type("834912")
        let effects =
            stage.send(.answered(.right(proof), generation: 7))
            + stage.send(.prompted(.unlocked(proof), generation: 7))
        #expect(effects.count { if case .unlock = $0 { true } else { false } } == 1)
        #expect(stage.content.successes == 1)
        // Once the lock has refused the passcode's proof, a touch counts again.
        stage.send(.unlockRefused)
        #expect(stage.send(.prompted(.unlocked(proof), generation: 7)).count == 1)
    }

    @Test("P-32: what a hook of the host fails at frees the screen and is said")
    func hookFails() async throws {
        let proof = try await proof()
        var stage = Stage(LockScreen(format: .standard, generation: 7))
        stage.send(.appeared(retryAfter: .zero, nil))
        stage.type("834912")
        stage.send(.answered(.right(proof), generation: 7))
        stage.send(.failed(message: "The store stays sealed."))
        #expect(!stage.content.isBusy)
        #expect(stage.content.entry?.filled == 0)
        #expect(stage.content.message?.text == "The store stays sealed.")
        #expect(stage.control(.forgot)?.isEnabled == true)
    }

    @Test("P-33: a log-out that leaves something locked leaves a lock screen that can be used")
    func loggedOut() async throws {
        try await bench.service().set(SecretBytes("834912"))
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        let lock = AppLock(session: LockSession(service: try bench.service(store: store)))
        await lock.start()
        await lock.lock()
        let screen = try #require(lock.lockScreen)
        // Nothing of it can be read from now on, so it stays locked.
        for _ in 0..<1000 {
            store.failNext(.read, with: SecretStoreError(code: .systemFailure, message: "input/output error"))
        }
        screen.send(.activate(.forgot))
        screen.send(.activate(.logOut))
        #expect(screen.content.isBusy)
        try await BoundedWait.until { await bench.host.signedOut == [.ada] }
        try await BoundedWait.until { !screen.content.isBusy }
        #expect(lock.cover == .lockScreen)
        #expect(screen.content.pad?.isEnabled == true)
    }

    @Test("P-34: while a passcode that was set is being told, the screen stays busy")
    func saved() async throws {
        let proof = try await proof()
        var stage = Stage(SetPasscodeScreen(mode: .create, format: .standard))
        stage.type("834912")
        stage.type("834912")
        #expect(stage.send(.saved(.right(proof))).count == 1)
        #expect(stage.content.isBusy)
        #expect(stage.content.entry?.filled == 6)
        #expect(stage.control(.cancel)?.isEnabled == false)
    }

    @Test("P-34: the right current passcode leaves nothing typed for the next step")
    func currentIsRight() async throws {
        let proof = try await proof()
        var stage = Stage(SetPasscodeScreen(mode: .change, format: .standard))
        stage.type("834912")
        stage.send(.answered(.right(proof)))
        #expect(stage.content.prompt == "Enter new passcode")
        #expect(stage.content.entry?.filled == 0)
        #expect(!stage.content.isBusy)
    }

    @Test("P-35: after a reset the screen stays busy until it is closed")
    func reset() async throws {
        let proof = try await proof()
        var stage = Stage(ResetPasscodeScreen(request: .random(), format: .standard))
        stage.type("111222")
        stage.type("834912")
        stage.type("834912")
        stage.send(.accepted(proof))
        #expect(stage.content.isBusy)
        #expect(stage.control(.cancel)?.isEnabled == false)
        #expect(stage.activate(.cancel).isEmpty)
    }

    @Test("P-36: while it is noted that the person was asked, nothing else can be chosen; a failure frees it")
    func skipping() {
        var stage = Stage(FirstSetUpScreen(format: .standard))
        #expect(stage.activate(.setUpLater).count == 1)
        #expect(stage.content.isBusy)
        #expect(stage.content.pad?.isEnabled == false)
        #expect(stage.activate(.setUpLater).isEmpty)
        #expect(stage.type("1").isEmpty)
        #expect(stage.content.entry?.filled == 0)
        stage.send(.failed(message: "no space is left"))
        #expect(!stage.content.isBusy)
        #expect(stage.content.message?.text == "no space is left")
        #expect(stage.activate(.setUpLater).count == 1)
    }

    @Test("P-37: an account that cannot be asked does not end what else is under way")
    func notHeard() async throws {
        let service = try bench.service()
        try await service.set(SecretBytes("834912"))
        let status = try await service.status()
        var stage = Stage(SecuritySettingsScreen(hasAccount: true))
        stage.send(.appeared)
        stage.send(.notHeard(message: "The server cannot be reached."))
        #expect(stage.content.isBusy, "what is set is still being read")
        #expect(stage.content.message?.text == "The server cannot be reached.")
        stage.send(.found(status, offer))
        #expect(stage.send(.input(.choose(.timeout, 6))) == [.setTimeout(.never)])
        stage.send(.notHeard(message: "The server cannot be reached."))
        #expect(stage.content.isBusy)
        stage.send(.found(status, offer))
        #expect(!stage.content.isBusy)
    }

    @Test("P-34: a screen that nobody keeps tells its end all the same, and is gone then")
    func unkept() async throws {
        let effects = ScreenEffects(service: try bench.service())
        var ending: SetPasscodeScreen.Ending?
        weak var kept: ScreenPresenter<SetPasscodeScreen>?
        do {
            let presenter = effects.setPasscode(.create, status: try await bench.service().status()) {
                ending = $0
            }
            kept = presenter
            for digit in "834912834912" { presenter.send(.digit(digit.wholeNumberValue!)) }
        }
        try await BoundedWait.until { ending != nil }
        guard case .saved = ending else {
            Issue.record("not saved")
            return
        }
        try await BoundedWait.until { kept == nil }
    }

    @Test("P-32: a delay that is counted down keeps no screen alive")
    func countDown() async throws {
        let service = try bench.service()
        try await service.set(SecretBytes("834912"))
        for _ in 0..<5 { _ = try await service.verify(SecretBytes("270954")) }
        let status = try await service.status()
        #expect(status.retryAfter == .seconds(60))
        weak var kept: ScreenPresenter<AskPasscodeScreen>?
        do {
            let presenter = ScreenEffects(service: service).askPasscode(
                status: status,
                to: { passcode throws(PasscodeError) in try await service.verify(passcode) },
                finish: { _ in }
            )
            kept = presenter
            await bench.clock.waitForSleepers(1)
        }
        #expect(kept == nil)
    }
}
