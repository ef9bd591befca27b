import LockScreens
import PasscodeLock
import PortcullisCore
import Testing

@Suite("What screens take, and what they leave enabled (P-30 … P-37)")
struct ScreenInputTests {
    private let offer = BiometricOffer(kind: .faceID, isEnabled: true, isUsable: true, canEnable: true)

    private func proof() async throws -> UnlockProof {
        try await Bench().service().set(SecretBytes("834912"))
    }

    private func ask(_ format: PasscodeFormat = .standard) -> Stage<AskPasscodeScreen> {
        var stage = Stage(AskPasscodeScreen(format: format))
        stage.send(.appeared(retryAfter: .zero))
        return stage
    }

    @Test("P-31: what is no digit is none, and a text that is too long is not taken")
    func entry() {
        var stage = ask()
        for digit in [10, -1, 127] { #expect(stage.send(.input(.digit(digit))).isEmpty) }
        for text in ["8349123", ""] {
            #expect(stage.send(.input(.text(SecretBytes(text)))).isEmpty)
        }
        #expect(stage.content.entry?.filled == 0)
        #expect(stage.send(.input(.text(SecretBytes("83491")))).isEmpty)
        #expect(stage.content.entry?.filled == 5)
        #expect(stage.send(.input(.text(SecretBytes("83491x")))).isEmpty, "whole, but no digits")
        #expect(stage.send(.input(.choose(.timeout, 1))).isEmpty)
        #expect(stage.activate(.forgot).isEmpty)
        #expect(stage.send(.input(.submit)).count == 1, "as long as a passcode")
    }

    @Test("P-31: a whole passcode as one text submits by itself where the length is fixed, and there alone")
    func wholeText() {
        var fixed = ask()
        #expect(fixed.send(.input(.text(SecretBytes("834912")))).count == 1)
        var variable = ask(.variableDigits(4...8))
        #expect(variable.send(.input(.text(SecretBytes("83491234")))).isEmpty)
        #expect(variable.content.entry?.filled == 8)
        #expect(variable.activate(.done).count == 1)
    }

    @Test("P-30: one character entered is told in the singular")
    func singular() {
        var stage = ask(.alphanumeric(4...16))
        stage.send(.input(.character("a")))
        #expect(stage.content.entry?.accessibilityValue == "1 character entered")
        stage.send(.input(.character("b")))
        #expect(stage.content.entry?.accessibilityValue == "2 characters entered")
    }

    @Test("P-32: a passcode that came during a delay is cleared, and the screen free when the delay is over")
    func throttled() {
        var stage = ask()
        stage.type("834912")
        stage.send(.answered(.throttled(retryAfter: .seconds(30))))
        #expect(
            stage.content.message == ScreenMessage(.countDown, "Try again in 30 s", timeLeft: .seconds(30))
        )
        #expect(!stage.content.isBusy && stage.content.entry?.filled == 0)
        #expect(stage.content.pad?.isEnabled == false)
        stage.moment = .start + 30
        stage.send(.tick)
        #expect(stage.content.pad?.isEnabled == true && stage.content.message == nil)
    }

    @Test("P-32: where there is nothing to ask for any more the screen ends, and holds nothing typed")
    func over() {
        for answer in [PasscodeAnswer.notSet, .limitReached(.signOut)] {
            var stage = ask()
            stage.type("834912")
            guard case .finish(.over)? = stage.send(.answered(answer)).first else {
                Issue.record("\(answer)")
                return
            }
            #expect(!stage.content.isBusy && stage.content.entry?.filled == 0)
        }
    }

    @Test("P-35: a question can be cancelled, but not while the answer is looked at")
    func cancel() {
        var stage = ask()
        #expect(stage.control(.cancel)?.isEnabled == true)
        stage.type("834912")
        #expect(stage.control(.cancel)?.isEnabled == false)
        #expect(stage.activate(.cancel).isEmpty)
        stage.send(.failed(message: "no"))
        guard case .finish(.cancelled)? = stage.activate(.cancel).first else {
            Issue.record("not cancelled")
            return
        }
    }

    @Test("P-34, P-35: a screen ends once: no other press, digit or late answer does anything after it")
    func endsOnce() async throws {
        let proof = try await proof()
        var set = Stage(SetPasscodeScreen(mode: .change, format: .standard))
        set.type("834912")
        #expect(set.activate(.cancel).count == 1)
        #expect(set.activate(.cancel).isEmpty && set.send(.answered(.notSet)).isEmpty)
        var confirming = Stage(SetPasscodeScreen(mode: .create, format: .standard))
        confirming.type("834912")
        confirming.type("83491")
        #expect(confirming.activate(.cancel).count == 1)
        #expect(confirming.type("2").isEmpty, "no passcode is set")
        var asking = ask()
        #expect(asking.activate(.cancel).count == 1)
        #expect(asking.activate(.cancel).isEmpty && asking.type("834912").isEmpty)
        var reset = Stage(ResetPasscodeScreen(request: .random(), format: .standard))
        #expect(reset.activate(.cancel).count == 1)
        #expect(reset.activate(.cancel).isEmpty && reset.activate(.resend).isEmpty)
        for isPassphraseEntered in [false, true] {
            var recovery = Stage(RecoverPasscodeScreen(format: .standard))
            recovery.send(.input(.text(SecretBytes("gravel Übersee 17"))))
            if isPassphraseEntered { recovery.send(.input(.submit)) }
            #expect(recovery.activate(.cancel).count == 1)
            recovery.send(.relocked)
            #expect(recovery.activate(.cancel).isEmpty && recovery.send(.answered(.notSet)).isEmpty)
            #expect(recovery.send(.answered(.recovered(proof))).isEmpty)
        }
    }

    @Test("P-30, P-34: with formats of variable length, Done ends each step of setting and of changing")
    func setVariable() async throws {
        var stage = Stage(SetPasscodeScreen(mode: .change, format: .variableDigits(4...8)))
        #expect(stage.control(.done)?.isEnabled == false)
        stage.type("8349")
        #expect(stage.activate(.done).count == 1)
        stage.send(.answered(.right(try await proof())))
        for _ in 0..<2 {
            #expect(stage.control(.done)?.isEnabled == false)
            stage.type("27095")
            #expect(stage.control(.done)?.isEnabled == true)
            stage.activate(.done)
        }
        #expect(stage.content.isBusy)
        #expect(stage.control(.done)?.isEnabled == false)
    }

    @Test("P-8, P-34: while a question stands over a screen, and while it saves, its pad is disabled")
    func padMeanwhile() {
        var set = Stage(SetPasscodeScreen(mode: .create, format: .standard))
        set.type("123456")
        #expect(set.content.alert != nil && set.content.pad?.isEnabled == false)
        set.activate(.useAnyway)
        #expect(set.content.pad?.isEnabled == true)
        set.type("123456")
        #expect(set.content.isBusy && set.content.pad?.isEnabled == false)
        var first = Stage(FirstSetUpScreen(format: .standard))
        #expect(first.control(.setUpLater)?.isEnabled == true)
        first.type("123456")
        #expect(first.activate(.setUpLater).isEmpty, "the question first")
        first.activate(.chooseAnother)
        first.type("834912")
        first.type("834912")
        #expect(first.control(.setUpLater)?.isEnabled == false)
        var rejecting = Stage(SetPasscodeScreen(mode: .create, format: .standard, weakPasscodes: .reject))
        rejecting.type("123456")
        #expect(rejecting.content.entry?.filled == 0 && rejecting.content.shakes == 1)
    }

    @Test("P-36: while it is noted that the offer was put off, no control works")
    func skipping() {
        var stage = Stage(FirstSetUpScreen(format: .variableDigits(4...8)))
        stage.type("27095")
        #expect(stage.control(.done)?.isEnabled == true)
        stage.activate(.setUpLater)
        #expect(stage.content.controls.allSatisfy { !$0.isEnabled })
    }

    @Test("P-35: another code is asked for once, at the first step alone, and nothing else works meanwhile")
    func resend() {
        var stage = Stage(ResetPasscodeScreen(request: .random(), format: .variableDigits(4...8)))
        #expect(stage.control(.resend)?.isEnabled == true && stage.control(.cancel)?.isEnabled == true)
        #expect(stage.activate(.resend).count == 1)
        #expect(stage.activate(.resend).isEmpty && stage.activate(.cancel).isEmpty)
        #expect(stage.control(.resend)?.isEnabled == false && stage.control(.cancel)?.isEnabled == false)
        #expect(stage.content.pad?.isEnabled == false)
        stage.type("1")
        #expect(stage.content.entry?.filled == 0)
        stage.send(.resent(.random()))
        #expect(!stage.content.isBusy)
        stage.type("482913")
        #expect(stage.control(.resend) == nil && stage.activate(.resend).isEmpty)
        for passcode in ["27095", "27096"] {
            stage.type(passcode)
            #expect(stage.control(.done)?.isEnabled == true)
            stage.activate(.done)
        }
        #expect(stage.content.shakes == 1 && stage.content.message?.kind == .error)
        guard case .finish(.cancelled)? = stage.activate(.cancel).first else {
            Issue.record("not cancelled")
            return
        }
    }

    @Test("P-35: a refused code is asked for again in six digits, whatever the format of the passcode")
    func refusedCode() {
        var stage = Stage(ResetPasscodeScreen(request: .random(), format: .digits(4)))
        stage.type("482913")
        stage.type("6173")
        stage.type("6173")
        stage.send(.codeRefused(message: "expired"))
        #expect(stage.content.entry?.style == .dots(count: 6))
        #expect(stage.content.shakes == 1)
        #expect(stage.control(.resend)?.isEnabled == true)
    }

    @Test("P-37: settings that are busy take no timeout, and those without a passcode have none to take")
    func settings() async throws {
        let service = try Bench().service()
        var stage = Stage(SecuritySettingsScreen())
        let unset = try await service.status()
        stage.send(.found(unset, offer))
        #expect(stage.send(.input(.choose(.timeout, 0))).isEmpty)
        try await service.set(SecretBytes("834912"))
        stage.send(.found(try await service.status(), offer))
        #expect(stage.send(.input(.choose(.biometrics, 0))).isEmpty)
        #expect(stage.send(.input(.choose(.timeout, 0))) == [.setTimeout(.immediately)])
        #expect(stage.send(.input(.choose(.timeout, 1))).isEmpty)
        stage.send(.failed(message: "no space is left"))
        #expect(stage.activate(.change) == [.openChange])
        #expect(stage.content.message == nil, "what failed before is not told any more")
        #expect(stage.activate(.ok) == [.finish], "it closes also while it is busy")
    }

    @Test("P-33: a device without an account has no reset to ask for")
    func noReset() {
        var stage = Stage(LockScreen(format: .standard))
        stage.send(.appeared(retryAfter: .zero, nil))
        stage.activate(.forgot)
        #expect(stage.activate(.sendReset).isEmpty)
        #expect(stage.content.alert != nil && !stage.content.isBusy)
    }

    @Test("P-32: of all that screens want done only waiting for a tick keeps none of them alive")
    func waits() async throws {
        #expect(LockScreen.isWait(.tick(after: .zero)) && !LockScreen.isWait(.logOut))
        #expect(AskPasscodeScreen.isWait(.tick(after: .zero)))
        #expect(!AskPasscodeScreen.isWait(.finish(.cancelled)))
        #expect(SetPasscodeScreen.isWait(.tick(after: .zero)))
        #expect(!SetPasscodeScreen.isWait(.finish(.notSet)))
        #expect(ResetPasscodeScreen.isWait(.tick(after: .zero)) && !ResetPasscodeScreen.isWait(.resend))
        #expect(FirstSetUpScreen.isWait(.inner(.tick(after: .zero))))
        #expect(!FirstSetUpScreen.isWait(.finish(.skipped)))
    }

    @Test("1.4: contents and sessions hold all that they are made with")
    func values() {
        let alert = ScreenAlert(title: "a", text: "b", actions: [])
        let content = ScreenContent(
            title: "t",
            symbol: "s",
            message: ScreenMessage(.notice, "m"),
            shakes: 2,
            controls: [ScreenControl(.ok, title: "OK", symbol: "x")],
            alert: alert
        )
        #expect(content.alert == alert && content.shakes == 2 && content.controls[0].symbol == "x")
        #expect(content.message?.text == "m")
    }
}
