import LockScreens
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("The reset screen", .timeLimit(.minutes(5)))
struct ResetPasscodeScreenTests {
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
        let proof = try await Bench().service().set(SecretBytes("834912"))
        guard case .finish(.reset)? = stage.send(.accepted(proof)).first else {
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
        #expect(stage.content.prompt == "Confirm new passcode" && stage.content.message != nil)
        stage.type("8")
        #expect(stage.content.message == nil)
        guard case .reset? = stage.type("34912").first else {
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

    @Test("P-14, P-35: after a new lock the code is asked for again, and all that was entered is dropped")
    func relocked() {
        let entries = [
            "", "4829", "482913", "4829138349", "482913834912", "482913123456", "482913834912834913",
        ]
        for digits in entries {
            var stage = Stage(ResetPasscodeScreen(request: .random(), format: .standard))
            stage.type(digits)
            stage.send(.relocked)
            stage.moment = Moment.start.advanced(by: .milliseconds(500))
            stage.send(.tick)
            #expect(stage.content.prompt == "Enter reset code from email", "\(digits)")
            #expect(stage.content.entry?.filled == 0 && stage.content.alert == nil, "\(digits)")
            #expect(stage.content.message == nil && !stage.content.isPaused, "\(digits)")
            #expect(stage.type("619283619283").isEmpty, "\(digits)")
            guard case .reset(let code, _, let new)? = stage.type("619283").first else {
                Issue.record("nothing was sent after \(digits)")
                return
            }
            #expect((code.text, new.text) == ("619283", "619283"))
        }
    }

    @Test("P-14, P-35: a request that is under way is not taken back, and if it fails the code is asked for")
    func relockedMeanwhile() async throws {
        var stage = Stage(ResetPasscodeScreen(request: .random(), format: .standard))
        stage.type("482913834912834912")
        stage.send(.relocked)
        #expect(stage.content.isBusy)
        stage.send(.failed(message: "The server cannot be reached."))
        #expect(stage.content.prompt == "Enter reset code from email" && !stage.content.isBusy)
        #expect(stage.content.message?.text == "The server cannot be reached.")
        stage.type("482913834912834912")
        stage.send(.failed(message: "The server cannot be reached."))
        #expect(stage.content.prompt == "Confirm new passcode", "the next failure is an ordinary one")
        stage.type("834912")
        stage.send(.relocked)
        let proof = try await Bench().service().set(SecretBytes("834912"))
        guard case .finish(.reset)? = stage.send(.accepted(proof)).first else {
            Issue.record("success did not close")
            return
        }
        var asking = Stage(ResetPasscodeScreen(request: .random(), format: .standard))
        asking.type("4829")
        asking.activate(.resend)
        asking.send(.relocked)
        #expect(asking.content.isBusy && asking.content.entry?.filled == 0)
        asking.send(.resent(.random()))
        #expect(!asking.content.isBusy)
    }

    @Test("P-14, P-35: a person who comes after the one who typed the code has to know the code")
    @MainActor
    func abandoned() async throws {
        for isLeft in [true, false] {
            let bench = AccountBench()
            let service = try bench.device().service()
            try await service.set(.first)
            let lock = AppLock(session: LockSession(service: service))
            await lock.start()
            await lock.lock()
            let screen = try #require(lock.lockScreen)
            try await BoundedWait.until {
                screen.send(.activate(.forgot))
                return screen.content.alert?.actions.count == 3
            }
            screen.send(.activate(.sendReset))
            try await BoundedWait.until { lock.resetScreen != nil }
            let reset = try #require(lock.resetScreen)
            let code = try #require(bench.server.mailedCode).text
            func type(_ digits: String) {
                for digit in digits { reset.send(.digit(digit.wholeNumberValue!)) }
            }
            type(code)
            #expect(reset.content.prompt == "Enter new passcode")
            if isLeft {
                await lock.phaseChanged(to: .background)
                await lock.phaseChanged(to: .active)
            } else {
                await lock.lock()
            }
            try #require(reset.content.prompt == "Enter reset code from email")
            let other = code == "619283" ? "619284" : "619283"
            type(other + "619283619283")
            try await BoundedWait.until { reset.content.message?.text == "Incorrect code" }
            #expect(lock.cover != .none && bench.server.holds(.first))
            type(code + "417263417263")
            try await BoundedWait.until { lock.cover == .none }
            #expect(bench.server.holds(SecretBytes("417263")))
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
}
