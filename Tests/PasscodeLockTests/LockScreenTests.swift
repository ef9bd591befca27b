import LockScreens
import PasscodeLock
import PortcullisCore
import Testing

@Suite("Entry and lock screen (P-30 … P-33)")
struct LockScreenTests {
    private let offer = BiometricOffer(kind: .faceID, isEnabled: true, isUsable: true, canEnable: true)

    private func stage(
        format: PasscodeFormat = .standard,
        hasAccount: Bool = false,
        offer: BiometricOffer? = nil
    ) -> Stage<LockScreen> {
        var stage = Stage(LockScreen(format: format, hasAccount: hasAccount, generation: 7))
        stage.send(.appeared(retryAfter: .zero, offer))
        return stage
    }

    private func wrong(_ stage: inout Stage<LockScreen>, retryAfter: Duration = .zero) -> [LockScreen.Effect]
    {
        stage.type("270954")
        return stage.send(.answered(.wrong(failures: 1, retryAfter: retryAfter), generation: 7))
    }

    @Test("P-30: the pad is 1–9, blank, 0, delete; dots fill as digits come; each has its words")
    func padAndDots() {
        #expect(
            NumberPad.rows == [
                [.digit(1), .digit(2), .digit(3)], [.digit(4), .digit(5), .digit(6)],
                [.digit(7), .digit(8), .digit(9)], [.blank, .digit(0), .delete],
            ]
        )
        var stage = stage()
        #expect(stage.content.pad?.deleteSymbol == "delete.left")
        #expect(stage.content.symbol == "lock.shield.fill")
        for count in 1...5 {
            stage.type("\(count)")
            #expect(stage.content.entry?.style == .dots(count: 6))
            #expect(stage.content.entry?.filled == count)
            #expect(stage.content.entry?.accessibilityValue == "\(count) of 6 digits entered")
        }
    }

    @Test("P-32, H-2: a delay that was cleared elsewhere is over once the screen appears; unread, it goes on")
    func delayCleared() {
        var stage = stage()
        _ = wrong(&stage, retryAfter: .seconds(600))
        #expect(stage.content.message?.kind == .countDown)
        stage.send(.appeared(retryAfter: nil, nil))
        #expect(stage.content.message?.kind == .countDown && stage.content.pad?.isEnabled == false)
        stage.send(.appeared(retryAfter: .zero, nil))
        #expect(stage.content.message == nil && stage.content.pad?.isEnabled == true)
        stage.type("270954")
        #expect(stage.content.isBusy)
    }

    @Test("P-30: formats of variable length have a field and Done instead")
    func field() {
        var stage = stage(format: .variableDigits(4...8))
        #expect(stage.content.pad == nil)
        #expect(stage.content.entry?.style == .field(digitsOnly: true))
        stage.type("123")
        #expect(stage.control(.done)?.isEnabled == false)
        #expect(stage.activate(.done).isEmpty)
        stage.type("4")
        #expect(stage.control(.done)?.isEnabled == true)
        guard case .verify(let passcode, _)? = stage.activate(.done).first else {
            Issue.record("Done did not submit")
            return
        }
        #expect(passcode.text == "1234")
    }

    @Test("P-30: alphanumeric fields take printable ASCII, one by one or as a whole text")
    func alphanumeric() {
        var stage = stage(format: .alphanumeric(4...16))
        for character in "a é\u{7}1~".unicodeScalars { stage.send(.input(.character(character))) }
        #expect(stage.content.entry?.filled == 4, "a, space, 1 and ~")
        stage.send(.input(.text(SecretBytes("whole text"))))
        guard case .verify(let passcode, _)? = stage.send(.input(.submit)).first else {
            Issue.record("Return did not submit")
            return
        }
        #expect(passcode.text == "whole text")
    }

    @Test("P-31: the last digit submits by itself, once; further digits are ignored")
    func submits() {
        var stage = stage()
        #expect(stage.type("83491").isEmpty)
        guard case .verify(let passcode, 7)? = stage.type("2").first else {
            Issue.record("the sixth digit did not submit")
            return
        }
        #expect(passcode.text == "834912")
        #expect(stage.type("3").isEmpty)
        #expect(stage.content.entry?.filled == 6)
    }

    @Test("P-31: delete takes one back, and nothing from nothing")
    func deletes() {
        var stage = stage()
        stage.send(.input(.delete))
        #expect(stage.content.entry?.filled == 0)
        stage.type("12")
        stage.send(.input(.delete))
        #expect(stage.content.entry?.filled == 1)
    }

    @Test("P-31: a new digit clears the error")
    func digitClearsError() {
        var stage = stage()
        _ = wrong(&stage)
        #expect(stage.content.message == ScreenMessage(.error, "Incorrect passcode"))
        stage.send(.input(.delete))
        #expect(stage.content.message != nil, "only a digit does")
        stage.type("1")
        #expect(stage.content.message == nil)
    }

    @Test("P-31: input is ignored while a verification runs")
    func ignoredWhileBusy() {
        var stage = stage()
        stage.type("834912")
        #expect(stage.content.isBusy)
        #expect(stage.content.pad?.isEnabled == false)
        stage.send(.input(.delete))
        #expect(stage.content.entry?.filled == 6)
    }

    @Test("P-32: a wrong passcode clears the digits, says so and shakes")
    func wrongPasscode() {
        var stage = stage()
        #expect(stage.content.title == "Enter Passcode")
        for shakes in 1...3 {
            _ = wrong(&stage)
            #expect(stage.content.entry?.filled == 0)
            #expect(stage.content.message?.text == "Incorrect passcode")
            #expect(stage.content.shakes == shakes)
        }
    }

    @Test("P-32: throttled counts down with the pad disabled, biometrics still offered")
    func countDown() {
        var stage = stage(offer: offer)
        stage.send(.prompted(.ended(.cancelled(by: .user)), generation: 7))
        let effects = wrong(&stage, retryAfter: .seconds(61))
        #expect(effects.contains { if case .tick(.seconds(1)) = $0 { true } else { false } })
        #expect(
            stage.content.message == ScreenMessage(.countDown, "Try again in 2 min", timeLeft: .seconds(61))
        )
        #expect(stage.content.pad?.isEnabled == false)
        #expect(stage.control(.biometrics)?.isEnabled == true)
        #expect(stage.type("8").isEmpty)
        #expect(stage.content.entry?.filled == 0)

        stage.moment = .start + 1
        stage.send(.tick)
        #expect(stage.content.message?.text == "Try again in 1 min")
        stage.moment = .start + 31
        stage.send(.tick)
        #expect(stage.content.message?.text == "Try again in 30 s")
        stage.moment = .start + 61
        #expect(stage.send(.tick).isEmpty, "no tick after the last")
        #expect(stage.content.message == nil)
        #expect(stage.content.pad?.isEnabled == true)
    }

    @Test("P-32: one tick at a time, however often the app returns")
    func oneTick() {
        var stage = stage()
        #expect(stage.send(.appeared(retryAfter: .seconds(60), nil)).count == 1)
        #expect(stage.send(.appeared(retryAfter: .seconds(59), nil)).isEmpty)
    }

    @Test("P-32: the prompt appears by itself, and once per return to active")
    func promptsByItself() {
        var stage = Stage(LockScreen(format: .standard, generation: 1))
        guard case .prompt(1)? = stage.send(.appeared(retryAfter: .zero, offer)).first else {
            Issue.record("no prompt")
            return
        }
        #expect(stage.send(.appeared(retryAfter: .zero, offer)).isEmpty, "one at a time (P-14)")
        stage.send(.prompted(.ended(.cancelled(by: .user)), generation: 1))
        #expect(stage.content.message == nil, "back to the pad silently")
        #expect(stage.send(.appeared(retryAfter: .zero, offer)).count == 1)
    }

    @Test("P-14, P-32: after a return the prompt appears again, even before the cancelled one has ended")
    func promptsOnReturn() {
        var stage = Stage(LockScreen(format: .standard, generation: 1))
        stage.send(.appeared(retryAfter: .zero, offer))
        stage.send(.generation(2))
        #expect(stage.control(.biometrics)?.isEnabled == true)
        guard case .prompt(2)? = stage.send(.appeared(retryAfter: .zero, offer)).first else {
            Issue.record("no prompt")
            return
        }
        stage.send(.prompted(.ended(.cancelled(by: .app)), generation: 1))
        #expect(stage.control(.biometrics)?.isEnabled == false, "the second one is still shown")
        stage.send(.prompted(.ended(.cancelled(by: .user)), generation: 2))
        #expect(stage.control(.biometrics)?.isEnabled == true)
    }

    @Test("P-14, P-32: the button is disabled while the prompt is shown; the pad stays live")
    func buttonWhilePrompting() {
        var stage = stage(offer: offer)
        #expect(stage.control(.biometrics)?.title == "Face ID")
        #expect(stage.control(.biometrics)?.symbol == "faceid")
        #expect(stage.control(.biometrics)?.isEnabled == false)
        #expect(stage.activate(.biometrics).isEmpty)
        stage.type("12")
        #expect(stage.content.entry?.filled == 2)
    }

    @Test("P-32: a failure shows its message; the passcode chosen goes back to the pad silently")
    func promptEnds() {
        var stage = stage(offer: offer)
        stage.send(.prompted(.ended(.failed(message: "Authentication failed")), generation: 7))
        #expect(stage.content.message?.text == "Authentication failed")
        stage.activate(.biometrics)
        stage.send(.prompted(.ended(.passcodeChosen), generation: 7))
        stage.activate(.biometrics)
        stage.send(.prompted(.ended(.lockedOut), generation: 7))
        #expect(stage.control(.biometrics) == nil, "locked out: the passcode is needed")
    }

    @Test("P-32: biometrics that turn out not to be usable are offered no more")
    func promptNotUsable() {
        for answer in [BiometricAnswer.ended(.notAvailable), .ended(.notEnrolled), .passcodeNeeded] {
            var stage = stage(offer: offer)
            #expect(stage.control(.biometrics) != nil)
            stage.send(.prompted(answer, generation: 7))
            #expect(stage.control(.biometrics) == nil)
        }
    }

    @Test("P-32: the button is there only when enabled and available")
    func buttonOnlyWhenUsable() {
        #expect(stage().control(.biometrics) == nil)
        var unusable = offer
        unusable.isUsable = false
        #expect(stage(offer: unusable).control(.biometrics) == nil)
    }

    @Test("P-14: answers to what an older generation asked unlock nothing")
    func staleAnswers() async throws {
        let proof = try await Bench().service().set(SecretBytes("834912"))
        var stage = stage(offer: offer)
        stage.type("834912")
        stage.send(.generation(8))
        #expect(stage.send(.answered(.right(proof), generation: 7)).isEmpty)
        #expect(stage.content.entry?.filled == 0)
        #expect(stage.send(.prompted(.unlocked(proof), generation: 7)).isEmpty)
        stage.type("834912")
        guard case .unlock(_, 8)? = stage.send(.answered(.right(proof), generation: 8)).last else {
            Issue.record("the present generation should unlock")
            return
        }
    }

    @Test("P-14: what was typed before the lock began anew is forgotten, and a check goes on")
    func typedBefore() {
        var stage = stage(offer: offer)
        stage.type("83491")
        stage.send(.generation(7))
        #expect(stage.content.entry?.filled == 5, "it is the same lock")
        stage.send(.generation(8))
        #expect(stage.content.entry?.filled == 0)
        stage.type("2")
        #expect(stage.content.entry?.filled == 1 && !stage.content.isBusy)
        stage.type("34567")
        #expect(stage.content.isBusy)
        stage.send(.generation(9))
        #expect(stage.content.isBusy && stage.content.entry?.filled == 6)
    }

    @Test("P-31: what fails ends only what it belongs to")
    func failures() {
        var stage = stage(offer: offer)
        stage.type("834912")
        stage.send(.failed(.prompt, message: "The reader is gone."))
        #expect(stage.content.isBusy, "the passcode is still being looked at")
        #expect(stage.control(.biometrics)?.isEnabled == true, "and the prompt can be shown again")
        stage.send(.failed(.verification, message: "no space is left"))
        #expect(!stage.content.isBusy)
        stage.activate(.forgot)
        stage.activate(.logOut)
        stage.send(.failed(.verification, message: "late"))
        #expect(stage.content.isBusy, "signing out goes on")
    }

    @Test("P-33: forgot, device-local: Cancel and Logout")
    func forgotDevice() {
        var stage = stage()
        stage.activate(.forgot)
        let alert = stage.content.alert
        #expect(alert?.text == "You will need to log in again. Your passcode will be removed.")
        #expect(alert?.actions.map(\.title) == ["Cancel", "Logout"])
        #expect(alert?.actions.map(\.role) == [.cancel, .destructive])
        stage.type("1")
        #expect(stage.content.entry?.filled == 0, "the alert first")
        stage.activate(.cancel)
        #expect(stage.content.alert == nil)
        stage.activate(.forgot)
        let effects = stage.activate(.logOut)
        #expect(effects.contains { if case .logOut = $0 { true } else { false } })
        #expect(stage.content.isBusy, "the screen stays until sign-out has ended")
    }

    @Test("P-33: a right passcode that is found while the person signs out unlocks nothing")
    func rightWhileSigningOut() async throws {
        let proof = try await Bench().service().set(SecretBytes("834912"))
        var stage = stage()
        stage.type("834912")
        stage.activate(.forgot)
        stage.activate(.logOut)
        #expect(stage.send(.answered(.right(proof), generation: 7)).isEmpty)
        #expect(stage.content.isBusy)
    }

    @Test("P-31: a format that was changed elsewhere is shown, and what was typed is dropped")
    func otherFormat() {
        var stage = stage(format: .digits(4))
        stage.type("83")
        stage.send(.format(.digits(4)))
        #expect(stage.content.entry?.filled == 2)
        stage.send(.format(.digits(6)))
        #expect(stage.content.entry?.style == .dots(count: 6) && stage.content.entry?.filled == 0)
    }

    @Test("P-33: forgot, with an account: also a reset by mail, which opens its screen after the request")
    func forgotAccount() {
        var stage = stage(hasAccount: true)
        stage.activate(.forgot)
        #expect(
            stage.content.alert?.text
                == "We can send a reset code to your email, or you can logout and sign in again."
        )
        #expect(stage.content.alert?.actions.map(\.title) == ["Cancel", "Send Reset Email", "Logout"])
        #expect(stage.content.alert?.actions.map(\.role) == [.cancel, .normal, .destructive])
        guard case .requestReset? = stage.activate(.sendReset).first else {
            Issue.record("no request")
            return
        }
        stage.send(.failed(.leaving, message: "The server cannot be reached."))
        #expect(stage.content.message?.text == "The server cannot be reached.")
        stage.activate(.forgot)
        stage.activate(.sendReset)
        guard case .openReset? = stage.send(.resetSent(.random())).first else {
            Issue.record("the reset screen did not open")
            return
        }
    }

    @Test("P-4: neither a screen's description nor a dump shows what was typed")
    func showsNothingTyped() {
        var stage = stage()
        stage.type("83491")
        var dumped = ""
        dump(stage.screen, to: &dumped)
        #expect(!dumped.contains("83491"))
        #expect(!"\(stage.screen)".contains("83491"))
        #expect(!"\(stage.content)".contains("83491"))
    }

    @Test("P-31: random input never exceeds the length and keeps the count true")
    func randomInput() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var stage = stage()
            var expected = 0
            var isBusy = false
            for _ in 0..<30 {
                if Bool.random(using: &generator) {
                    let effects = stage.type("\(Int.random(in: 0...9, using: &generator))")
                    if !isBusy { expected += 1 }
                    #expect(effects.isEmpty == (isBusy || expected < 6))
                    isBusy = isBusy || expected == 6
                } else {
                    stage.send(.input(.delete))
                    if !isBusy { expected = max(0, expected - 1) }
                }
                #expect(stage.content.entry?.filled == expected)
            }
        }
    }
}
