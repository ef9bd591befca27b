import PasscodeLock
import PortcullisCore
import Testing

@Suite("Setting, changing and resetting screens (P-8, P-34 … P-37)")
struct SetPasscodeScreenTests {
    private func proof() async throws -> UnlockProof {
        try await Bench().service().set(SecretBytes("834912"))
    }

    @Test("P-34: create, confirm, save")
    func create() async throws {
        var stage = Stage(SetPasscodeScreen(mode: .create, format: .standard))
        #expect(stage.content.title == "Set Passcode")
        #expect(stage.content.prompt == "Create a passcode")
        stage.type("834912")
        #expect(stage.content.prompt == "Confirm passcode")
        #expect(stage.content.entry?.filled == 0)
        guard case .set(let passcode)? = stage.type("834912").first else {
            Issue.record("nothing was saved")
            return
        }
        #expect(passcode.text == "834912")
        #expect(stage.content.isBusy)
        #expect(stage.activate(.cancel).isEmpty, "not while it is saved")
        guard case .finish(.saved)? = stage.send(.saved(.right(try await proof()))).first else {
            Issue.record("the screen did not close")
            return
        }
    }

    @Test(
        "P-34: change asks for the current passcode, shakes and stays while it is wrong, counts down when throttled"
    )
    func change() async throws {
        var stage = Stage(SetPasscodeScreen(mode: .change, format: .standard))
        #expect(stage.content.title == "Change Passcode")
        #expect(stage.content.prompt == "Enter current passcode")
        guard case .verify? = stage.type("270954").first else {
            Issue.record("the current passcode was not verified")
            return
        }
        stage.send(.answered(.wrong(failures: 1, retryAfter: .zero)))
        #expect(stage.content.shakes == 1)
        #expect(stage.content.prompt == "Enter current passcode")
        stage.type("270954")
        stage.send(.answered(.wrong(failures: 5, retryAfter: .seconds(60))))
        #expect(stage.content.message?.text == "Try again in 1 min")
        stage.moment = .start + 60
        stage.send(.tick)
        stage.type("834912")
        stage.send(.answered(.right(try await proof())))
        #expect(stage.content.prompt == "Enter new passcode")
        stage.type("619283")
        #expect(stage.content.prompt == "Confirm new passcode")
        guard case .change(let current, let new)? = stage.type("619283").first else {
            Issue.record("nothing was saved")
            return
        }
        #expect((current.text, new.text) == ("834912", "619283"))
    }

    @Test("P-34, P-31: a mismatch shakes, ignores input for half a second, and goes back to the new passcode")
    func mismatch() {
        var stage = Stage(SetPasscodeScreen(mode: .create, format: .standard))
        stage.type("834912")
        guard case .tick(.milliseconds(500))? = stage.type("834913").first else {
            Issue.record("no pause")
            return
        }
        #expect(stage.content.message?.text == "Passcodes don't match. Try again.")
        #expect(stage.content.shakes == 1)
        #expect(stage.content.prompt == "Confirm passcode")
        stage.type("1")
        #expect(stage.content.entry?.filled == 0)
        stage.moment = Moment.start.advanced(by: .milliseconds(500))
        stage.send(.tick)
        #expect(stage.content.prompt == "Create a passcode")
        stage.type("1")
        #expect(stage.content.entry?.filled == 1)
        #expect(stage.content.message == nil)
    }

    @Test("P-34: an error from saving is shown, the entry cleared, the step kept, nothing dismissed")
    func saveFails() {
        var stage = Stage(SetPasscodeScreen(mode: .create, format: .standard))
        stage.type("834912")
        stage.type("834912")
        #expect(stage.send(.failed(message: "no space is left")).isEmpty)
        #expect(stage.content.message?.text == "no space is left")
        #expect(stage.content.entry?.filled == 0)
        #expect(stage.content.prompt == "Confirm passcode")
        #expect(!stage.content.isBusy)
        guard case .set? = stage.type("834912").first else {
            Issue.record("it cannot be tried again")
            return
        }
    }

    @Test("P-34: cancel reports \"not set\"")
    func cancel() {
        var stage = Stage(SetPasscodeScreen(mode: .create, format: .standard))
        guard case .finish(.notSet)? = stage.activate(.cancel).first else {
            Issue.record("cancel did not close")
            return
        }
    }

    @Test("P-34: a current passcode that stopped being right while the new one was typed is asked again")
    func changedElsewhere() async throws {
        var stage = Stage(SetPasscodeScreen(mode: .change, format: .standard))
        stage.type("834912")
        stage.send(.answered(.right(try await proof())))
        stage.type("619283")
        stage.type("619283")
        stage.send(.saved(.wrong(failures: 1, retryAfter: .zero)))
        #expect(stage.content.prompt == "Enter current passcode")
        #expect(stage.content.message?.text == "Incorrect passcode")
    }

    @Test("P-8: an easily guessed passcode: allowed, asked about, or rejected")
    func weak() {
        var allowed = Stage(SetPasscodeScreen(mode: .create, format: .standard, weakPasscodes: .allow))
        allowed.type("123456")
        #expect(allowed.content.prompt == "Confirm passcode")

        var rejected = Stage(SetPasscodeScreen(mode: .create, format: .standard, weakPasscodes: .reject))
        rejected.type("123456")
        #expect(rejected.content.prompt == "Create a passcode")
        #expect(rejected.content.message?.text == "This passcode is easily guessed.")

        var warned = Stage(SetPasscodeScreen(mode: .create, format: .standard))
        warned.type("123456")
        #expect(warned.content.alert?.title == "This passcode is easily guessed.")
        #expect(warned.content.alert?.actions.map(\.title) == ["Use Anyway", "Choose Another"])
        #expect(warned.activate(.cancel).isEmpty, "the alert first")
        warned.activate(.chooseAnother)
        #expect(warned.content.alert == nil)
        #expect(warned.content.entry?.filled == 0)
        warned.type("123456")
        warned.activate(.useAnyway)
        #expect(warned.content.prompt == "Confirm passcode")
    }

    @Test("P-35: code, new, confirm; six digits whatever the format")
    func reset() async throws {
        let request = AccountCodeRequest.random()
        var stage = Stage(ResetPasscodeScreen(request: request, format: .digits(4)))
        #expect(stage.content.title == "Reset Passcode")
        #expect(stage.content.prompt == "Enter reset code from email")
        #expect(stage.content.entry?.style == .dots(count: 6))
        #expect(stage.control(.resend)?.title == "Resend code")
        stage.type("482913")
        #expect(stage.content.prompt == "Enter new passcode")
        #expect(stage.content.entry?.style == .dots(count: 4))
        stage.type("6173")
        #expect(stage.content.prompt == "Confirm new passcode")
        guard case .reset(let code, let sentFor, let new)? = stage.type("6173").first else {
            Issue.record("nothing was sent")
            return
        }
        #expect((code.text, new.text) == ("482913", "6173"))
        #expect(sentFor == request)
        guard case .finish(.reset)? = stage.send(.accepted(try await proof())).first else {
            Issue.record("success did not close")
            return
        }
    }

    @Test("P-35: mismatch clears both and goes back to new after half a second")
    func resetMismatch() {
        var stage = Stage(ResetPasscodeScreen(request: .random(), format: .standard))
        stage.type("482913")
        stage.type("834912")
        stage.type("834913")
        #expect(stage.content.message?.text == "Passcodes don't match")
        stage.type("8")
        #expect(stage.content.entry?.filled == 0)
        stage.moment = Moment.start.advanced(by: .milliseconds(500))
        stage.send(.tick)
        #expect(stage.content.prompt == "Enter new passcode")
    }

    @Test("P-35: a refused code goes back to the code with its message; other errors can be tried again")
    func resetRefused() {
        var stage = Stage(ResetPasscodeScreen(request: .random(), format: .standard))
        stage.type("482913")
        stage.type("834912")
        stage.type("834912")
        stage.send(.failed(message: "The server cannot be reached."))
        #expect(stage.content.prompt == "Confirm new passcode")
        guard case .reset? = stage.type("834912").first else {
            Issue.record("it cannot be tried again")
            return
        }
        stage.send(.codeRefused(message: "This code has expired."))
        #expect(stage.content.prompt == "Enter reset code from email")
        #expect(stage.content.message?.text == "This code has expired.")
        guard case .resend? = stage.activate(.resend).first else {
            Issue.record("no other code can be had")
            return
        }
        let another = AccountCodeRequest.random()
        stage.send(.resent(another))
        #expect(stage.content.message == ScreenMessage(.notice, "A new code is on its way."))
        stage.type("482914")
        stage.type("834912")
        guard case .reset(_, another, _)? = stage.type("834912").first else {
            Issue.record("the code is not sent with the request that it was mailed for")
            return
        }
    }

    @Test("P-8, P-35: an easily guessed passcode is asked about, or refused, before it is sent")
    func resetWeak() {
        var stage = Stage(ResetPasscodeScreen(request: .random(), format: .standard))
        stage.type("482913")
        stage.type("123456")
        #expect(stage.content.alert?.actions.map(\.title) == ["Use Anyway", "Choose Another"])
        stage.activate(.chooseAnother)
        #expect(stage.content.prompt == "Enter new passcode")
        stage.type("123456")
        stage.activate(.useAnyway)
        #expect(stage.content.prompt == "Confirm new passcode")
        var strict = Stage(ResetPasscodeScreen(request: .random(), format: .standard, weakPasscodes: .reject))
        strict.type("482913")
        strict.type("123456")
        #expect(strict.content.prompt == "Enter new passcode")
        #expect(strict.content.message?.text == "This passcode is easily guessed.")
    }

    @Test("P-36: only the skip button or success moves on; cancelling the inner screen does nothing")
    func firstSetUp() async throws {
        var stage = Stage(FirstSetUpScreen(format: .standard))
        #expect(stage.control(.cancel) == nil)
        #expect(stage.control(.setUpLater)?.title == "Set up later")
        #expect(stage.activate(.cancel).isEmpty)
        #expect(stage.content.prompt == "Create a passcode")
        guard case .finish(.skipped)? = stage.activate(.setUpLater).first else {
            Issue.record("skipping did not move on")
            return
        }
        var other = Stage(FirstSetUpScreen(format: .standard))
        other.type("834912")
        guard case .inner(.set)? = other.type("834912").first else {
            Issue.record("nothing was saved")
            return
        }
        #expect(other.activate(.setUpLater).isEmpty, "not while it is saved")
        guard case .finish(.saved)? = other.send(.saved(.right(try await proof()))).first else {
            Issue.record("success did not move on")
            return
        }
    }

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

    @Test("P-51: each error of an account has a text of its own, which can be replaced")
    func accountTexts() {
        let codes: [PasscodeAccountError.Code] = [
            .unreachable, .outcomeUnknown, .notSignedIn, .conflict, .throttled, .serverFailure, .refused,
            .unavailable,
        ]
        var strings = PasscodeStrings.english
        func text(_ code: PasscodeAccountError.Code, retryAfter: Duration? = nil) -> String {
            let cause = PasscodeAccountError(code: code, message: "server's words", retryAfter: retryAfter)
            return strings.text(PasscodeError(code: .account, message: cause.message, cause: cause))
        }
        #expect(Set(codes.map { text($0) }).count == codes.count)
        #expect(!codes.map { text($0) }.contains("server's words"))
        #expect(text(.throttled, retryAfter: .seconds(61)) == "Too many requests. Try again in 2 min")
        strings.accountSignedOut = "Abgemeldet"
        #expect(text(.notSignedIn) == "Abgemeldet")
    }

    @Test("P-34, P-35: a mismatch stands for half a second, however often the screen is told of the time")
    func mismatchPause() {
        var set = Stage(SetPasscodeScreen(mode: .create, format: .standard))
        set.type("834912")
        set.type("270954")
        var reset = Stage(ResetPasscodeScreen(request: .random(), format: .standard))
        reset.type("111222")
        reset.type("834912")
        reset.type("270954")
        set.moment = Moment.start.advanced(by: .milliseconds(499))
        reset.moment = set.moment
        set.send(.tick)
        reset.send(.tick)
        #expect(set.content.pad?.isEnabled == false)
        #expect(reset.content.pad?.isEnabled == false)
        set.moment = Moment.start.advanced(by: .milliseconds(500))
        reset.moment = set.moment
        set.send(.tick)
        reset.send(.tick)
        #expect(set.content.prompt == "Create a passcode")
        #expect(reset.content.prompt == "Enter new passcode")
        #expect(set.content.pad?.isEnabled == true)
    }

    @Test("P-34: a change that was refused begins anew, and the new passcode is confirmed again")
    func refusedChange() async throws {
        let proof = try await proof()
        var stage = Stage(SetPasscodeScreen(mode: .change, format: .standard))
        stage.type("834912")
        stage.send(.answered(.right(proof)))
        stage.type("270954")
        guard case .change? = stage.type("270954").first else {
            Issue.record("nothing was changed")
            return
        }
        stage.send(.saved(.wrong(failures: 1, retryAfter: .zero)))
        #expect(stage.content.prompt == "Enter current passcode")
        #expect(stage.content.message?.text == "Incorrect passcode")
        stage.type("619375")
        stage.send(.answered(.right(proof)))
        #expect(stage.type("270954").isEmpty)
        #expect(stage.content.prompt == "Confirm new passcode")
        guard case .change(let current, _)? = stage.type("270954").first else {
            Issue.record("nothing was changed")
            return
        }
        #expect(current.text == "619375")
    }

    @Test("1.4: texts come from a value that can be replaced")
    func strings() {
        var german = PasscodeStrings.english
        german.setTitle = "Code festlegen"
        german.tryAgainIn = "In %@ erneut versuchen"
        german.minute = "Min."
        let screen = SetPasscodeScreen(mode: .create, format: .standard, strings: german)
        #expect(screen.content.title == "Code festlegen")
        #expect(german.tryAgain(in: .seconds(61)) == "In 2 Min. erneut versuchen")
    }

    @Test(
        "P-32: the time left is rounded up",
        arguments: [
            (1, "1 s"), (59, "59 s"), (60, "1 min"), (61, "2 min"), (3600, "1 h"), (10_800, "3 h"),
            (5400, "1 h 30 min"),
        ]
    )
    func timeLeft(seconds: Int, text: String) {
        #expect(PasscodeStrings.english.tryAgain(in: .seconds(seconds)) == "Try again in \(text)")
        #expect(PasscodeStrings.english.tryAgain(in: .milliseconds(200)) == "Try again in 1 s")
    }
}
