import LockScreens
import PasscodeLock
import PortcullisCore
import Testing

@Suite("The screens that set a passcode")
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
}
