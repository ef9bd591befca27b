import LockScreens
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("Recovering a passcode with a passphrase (H-2)", .timeLimit(.minutes(5)))
@MainActor
struct RecoverPasscodeScreenTests {
    private let right = SecretBytes("834912")
    private let phrase = "gravel Übersee 17"

    /// Hardware that takes two wrong passcodes, with a recovery passphrase.
    private func bench() -> Bench {
        var bench = Bench()
        bench.sealer = FastPasscodeSealer(tryLimit: 2, recovery: SecretBytes(phrase))
        bench.configuration.throttle = .unlimited
        return bench
    }

    private func enter(_ text: String, _ stage: inout Stage<RecoverPasscodeScreen>) {
        for scalar in text.unicodeScalars { stage.send(.input(.character(scalar))) }
        stage.send(.input(.submit))
    }

    private func enter(_ text: String, _ screen: ScreenPresenter<RecoverPasscodeScreen>) {
        for scalar in text.unicodeScalars { screen.send(.character(scalar)) }
        screen.send(.submit)
    }

    private func type<Screen: ContentScreen>(_ digits: String, on presenter: ScreenPresenter<Screen>) {
        for digit in digits { presenter.send(.digit(digit.wholeNumberValue!)) }
    }

    @Test("H-2: passphrase, new, confirm; a wrong passphrase begins anew")
    func steps() async throws {
        var stage = Stage(RecoverPasscodeScreen(format: .standard))
        #expect(stage.content.title == "Recover Passcode")
        #expect(stage.content.prompt == "Enter recovery passphrase")
        #expect(stage.content.step?.accessibilityValue == "Step 1 of 3")
        #expect(stage.control(.done)?.isEnabled == false)
        stage.send(.input(.submit))
        #expect(stage.content.prompt == "Enter recovery passphrase", "an empty one is not submitted")
        enter(phrase, &stage)
        #expect(stage.content.title == "Recover Passcode")
        #expect(stage.content.prompt == "Create a passcode")
        #expect(stage.content.step?.accessibilityValue == "Step 2 of 3")
        stage.type("619283")
        #expect(stage.content.step?.accessibilityValue == "Step 3 of 3")
        guard case .recover(let passphrase, let new)? = stage.type("619283").first else {
            Issue.record("nothing was asked for")
            return
        }
        #expect((passphrase.text, new.text) == (phrase, "619283"))
        #expect(stage.content.isBusy)
        stage.send(.answered(.wrongPassphrase))
        #expect(stage.content.prompt == "Enter recovery passphrase")
        #expect(stage.content.message == ScreenMessage(.error, "Incorrect recovery passphrase"))
        #expect(stage.content.entry?.filled == 0 && stage.content.shakes == 1)
        stage.send(.input(.character("g")))
        #expect(stage.content.message == nil)
    }

    @Test("H-2: characters of several bytes are deleted whole, and the passphrase has at most 1,024 bytes")
    func characters() {
        var stage = Stage(RecoverPasscodeScreen(format: .standard))
        for scalar in "aé漢7".unicodeScalars { stage.send(.input(.character(scalar))) }
        stage.send(.input(.digit(4)))
        #expect(stage.content.entry?.filled == 5)
        for filled in [4, 3, 2, 1, 0, 0] {
            stage.send(.input(.delete))
            #expect(stage.content.entry?.filled == filled)
        }
        stage.send(.input(.character("\u{7}")))
        #expect(stage.content.entry?.filled == 0)
        for _ in 0..<1024 { stage.send(.input(.character("a"))) }
        #expect(stage.content.message == nil)
        let tooLong = ScreenMessage(.error, "At most 1024 characters are allowed.")
        for input in [ScreenInput.character("a"), .digit(1), .text(SecretBytes(randomCount: 1025))] {
            stage.send(.input(input))
            #expect(stage.content.entry?.filled == 1024, "what was entered stays")
            #expect(stage.content.message == tooLong)
            stage.send(.input(.delete))
            stage.send(.input(.character("é")))
            #expect(stage.content.message == tooLong, "it has one byte too many")
            stage.send(.input(.character("a")))
            #expect(stage.content.message == nil)
        }
        stage.send(.input(.text(SecretBytes("漢漢"))))
        #expect(stage.content.entry?.filled == 2)
    }

    @Test("H-2, P-14: after a new lock all that was entered is dropped, also what a request was made of")
    func relocked() {
        var stage = Stage(RecoverPasscodeScreen(format: .standard))
        for input in ["", phrase] {
            for scalar in input.unicodeScalars { stage.send(.input(.character(scalar))) }
            stage.send(.relocked)
            #expect(stage.content.prompt == "Enter recovery passphrase" && stage.content.entry?.filled == 0)
        }
        enter(phrase, &stage)
        stage.type("6192")
        stage.send(.relocked)
        #expect(stage.content.prompt == "Enter recovery passphrase" && stage.content.entry?.filled == 0)
        #expect(stage.content.message == nil && stage.content.shakes == 0)
        enter(phrase, &stage)
        stage.type("619283")
        stage.type("619283")
        stage.send(.relocked)
        #expect(stage.content.isBusy, "a request is not taken back")
        stage.send(.failed(message: "The security chip is busy. Try again."))
        #expect(stage.content.prompt == "Enter recovery passphrase" && !stage.content.isBusy)
        #expect(stage.content.message?.text == "The security chip is busy. Try again.")
    }

    @Test("H-2, P-14: a person who comes after the one who began to recover has to know the passphrase")
    func abandoned() async throws {
        for isLeft in [true, false] {
            let bench = bench()
            let service = try bench.service()
            try await service.set(right)
            let lock = AppLock(session: LockSession(service: service))
            await lock.start()
            await lock.lock()
            let screen = try #require(lock.lockScreen)
            try await BoundedWait.until {
                screen.send(.activate(.forgot))
                return screen.content.alert?.actions.count == 3
            }
            screen.send(.activate(.recover))
            try await BoundedWait.until { lock.recoveryScreen != nil }
            let recovery = try #require(lock.recoveryScreen)
            enter(phrase, recovery)
            #expect(recovery.content.prompt == "Create a passcode")
            if isLeft {
                await lock.phaseChanged(to: .background)
                await lock.phaseChanged(to: .active)
            } else {
                await lock.lock()
            }
            type("619283619283", on: recovery)
            #expect(recovery.content.prompt == "Enter recovery passphrase")
            #expect(lock.cover != .none)
            recovery.send(.text(SecretBytes(phrase)))
            recovery.send(.submit)
            type("417263417263", on: recovery)
            try await BoundedWait.until { lock.cover == .none }
            #expect(try await service.verify(SecretBytes("417263")).isRight)
        }
    }

    @Test(
        "H-2: a failure says why, and the new passcode can be confirmed again; cancelling closes the screen"
    )
    func failure() {
        var stage = Stage(RecoverPasscodeScreen(format: .standard))
        enter(phrase, &stage)
        stage.type("619283")
        stage.type("619283")
        stage.send(.failed(message: "The security chip is busy. Try again."))
        #expect(stage.content.message?.text == "The security chip is busy. Try again.")
        guard case .recover? = stage.type("619283").first else {
            Issue.record("it cannot be tried again")
            return
        }
        guard case .finish(.over)? = stage.send(.answered(.notSet)).first else {
            Issue.record("a removed passcode closes the screen")
            return
        }
        for isPassphraseEntered in [false, true] {
            var other = Stage(RecoverPasscodeScreen(format: .standard))
            if isPassphraseEntered { enter(phrase, &other) }
            guard case .finish(.cancelled)? = other.activate(.cancel).first else {
                Issue.record("cancelling does not close")
                return
            }
        }
    }

    @Test("H-2, P-8: an easily guessed passcode is asked about, and two that differ begin the new one again")
    func weakAndDiffering() {
        var stage = Stage(RecoverPasscodeScreen(format: .standard))
        enter(phrase, &stage)
        stage.type("123456")
        #expect(stage.content.alert != nil)
        stage.activate(.chooseAnother)
        stage.type("619283")
        guard case .tick? = stage.type("619284").first else {
            Issue.record("no pause")
            return
        }
        #expect(stage.content.message?.text == "Passcodes don't match. Try again.")
        stage.moment = Moment.start.advanced(by: .milliseconds(500))
        stage.send(.tick)
        #expect(stage.content.step?.accessibilityValue == "Step 2 of 3", "the passphrase stays")
    }

    @Test("P-4: neither a description nor a dump of the screen shows the passphrase")
    func showsNothing() {
        var stage = Stage(RecoverPasscodeScreen(format: .standard))
        for scalar in "gravel".unicodeScalars { stage.send(.input(.character(scalar))) }
        var dumped = ""
        dump(stage.screen, to: &dumped)
        for text in [dumped, "\(stage.screen)", "\(stage.content)"] { #expect(!text.contains("gravel")) }
    }

    @Test("H-2: at the hardware's limit the lock screen leads to the recovery screen, which unlocks the app")
    func fromLockScreen() async throws {
        let bench = bench()
        let service = try bench.service()
        let key = try #require(try await service.set(right).key)
        let lock = AppLock(session: LockSession(service: service))
        await lock.start()
        await lock.lock()
        let screen = try #require(lock.lockScreen)
        for passcode in ["270954", "270954", "834912"] {
            type(passcode, on: screen)
            try await BoundedWait.until { !screen.content.isBusy && screen.content.entry?.filled == 0 }
        }
        #expect(screen.content.message?.text == PasscodeStrings.english.triesExhaustedRecoverable)
        screen.send(.activate(.forgot))
        #expect(screen.content.alert?.actions.map(\.id) == [.cancel, .recover, .logOut])
        #expect(
            screen.content.alert?.text
                == "Your recovery passphrase sets a new passcode. Or log out: "
                + "You will need to log in again. Your passcode will be removed."
        )
        screen.send(.activate(.recover))
        try await BoundedWait.until { lock.recoveryScreen != nil }
        let recovery = try #require(lock.recoveryScreen)
        enter("another passphrase", recovery)
        type("619283619283", on: recovery)
        try await BoundedWait.until {
            recovery.content.message?.text == "Incorrect recovery passphrase"
        }
        #expect(lock.cover != .none)
        enter(phrase, recovery)
        type("619283619283", on: recovery)
        try await BoundedWait.until { lock.cover == .none }
        try await BoundedWait.until { lock.recoveryScreen == nil }
        guard case .right(let proof) = try await service.verify(SecretBytes("619283")) else {
            Issue.record("the new passcode is right")
            return
        }
        #expect(proof.key?.matches(key) == true, "the same key")
        guard case .wrong(failures: 1, _) = try await service.verify(right) else {
            Issue.record("the old passcode is wrong, and the count starts anew")
            return
        }
    }

    @Test("H-2: leaving the recovery screen leaves the app locked, and the old passcode set")
    func left() async throws {
        let bench = bench()
        let service = try bench.service()
        try await service.set(right)
        let lock = AppLock(session: LockSession(service: service))
        await lock.start()
        await lock.lock()
        let screen = try #require(lock.lockScreen)
        try await BoundedWait.until {
            screen.send(.activate(.forgot))
            return screen.content.alert?.actions.count == 3
        }
        screen.send(.activate(.recover))
        try await BoundedWait.until { lock.recoveryScreen != nil }
        lock.recoveryScreen?.send(.activate(.cancel))
        try await BoundedWait.until { lock.recoveryScreen == nil }
        #expect(lock.cover != .none)
        type("834912", on: screen)
        try await BoundedWait.until { lock.cover == .none }
    }

    @Test("H-2: without a passphrase, or where no host opens the screen, recovery is not offered")
    func notOffered() async throws {
        let service = try Bench().service()
        try await service.set(right)
        #expect(try await !service.status().isRecoverable)
        let bench = bench()
        try await bench.service().set(right)
        #expect(try await bench.service().status().isRecoverable)
        let driver = LockDriver(session: LockSession(service: try bench.service()))
        await driver.start()
        await driver.lock()
        let screen = try #require(driver.screen)
        screen.handle(.input(.activate(.forgot)))
        #expect(screen.content.alert?.actions.map(\.id) == [.cancel, .logOut])
    }

    @Test("H-2, P-50: a passcode of an account is reset by mail, and no passphrase recovers it")
    func account() async throws {
        var device = AccountBench().device()
        device.sealer = FastPasscodeSealer(recovery: SecretBytes(phrase))
        let service = try device.service()
        try await service.set(right)
        #expect(try await !service.status().isRecoverable)
        #expect(
            await code { () async throws(PasscodeError) in
                _ = try await service.recover(with: SecretBytes(phrase), to: SecretBytes("619283"))
            } == .account
        )
        #expect(try await service.verify(right).isRight, "nothing changed")
    }
}
