import LockScreens
import PasscodeLock
import PortcullisCore
import Testing

@Suite("What screens tell beside their words (P-30, P-34, P-35)")
struct ScreenStepTests {
    private func proof() async throws -> UnlockProof {
        try await Bench().service().set(SecretBytes("834912"))
    }

    private func step(_ number: Int, of count: Int) -> ScreenStep {
        ScreenStep(number, of: count, accessibilityValue: "Step \(number) of \(count)")
    }

    @Test("P-34: creating has two steps, changing three; a success is told once")
    func set() async throws {
        var create = Stage(SetPasscodeScreen(mode: .create, format: .standard))
        #expect(create.content.step == step(1, of: 2))
        create.type("834912")
        #expect(create.content.step == step(2, of: 2))
        create.type("834913")
        #expect(create.content.step == step(2, of: 2), "while a mismatch is read")
        #expect(create.content.successes == 0)
        create.moment = .start + 1
        create.send(.tick)
        create.type("834912")
        create.type("834912")
        create.send(.saved(.right(try await proof())))
        #expect(create.content.successes == 1 && create.content.shakes == 1)

        var change = Stage(SetPasscodeScreen(mode: .change, format: .standard))
        #expect(change.content.step == step(1, of: 3))
        change.type("834912")
        change.send(.answered(.right(try await proof())))
        #expect(change.content.step == step(2, of: 3) && change.content.successes == 1)
        change.type("619283")
        #expect(change.content.step == step(3, of: 3))
    }

    @Test("P-35: a reset has three steps, and its success is told")
    func reset() async throws {
        let request = try #require(AccountCodeRequest("request"))
        var stage = Stage(ResetPasscodeScreen(request: request, format: .standard))
        #expect(stage.content.step == step(1, of: 3))
        stage.type("123456")
        #expect(stage.content.step == step(2, of: 3))
        stage.type("834912")
        #expect(stage.content.step == step(3, of: 3) && stage.content.successes == 0)
        stage.type("834912")
        stage.send(.accepted(try await proof()))
        #expect(stage.content.successes == 1)
    }

    @Test("P-32: a right passcode and a biometric match are successes, a wrong passcode is none")
    func lock() async throws {
        var stage = Stage(LockScreen(format: .standard, generation: 7))
        stage.type("111111")
        stage.send(.answered(.wrong(failures: 1, retryAfter: .zero), generation: 7))
        #expect(stage.content.successes == 0 && stage.content.step == nil)
        stage.send(.prompted(.unlocked(try await proof()), generation: 7))
        #expect(stage.content.successes == 1)
        stage.send(.unlockRefused)
        stage.type("834912")
        stage.send(.answered(.right(try await proof()), generation: 7))
        #expect(stage.content.successes == 2)
    }

    @Test("P-30: what submits a field, and what closes the settings, is primary")
    func primary() {
        let field = Stage(SetPasscodeScreen(mode: .create, format: .variableDigits(4...8)))
        #expect(field.content.controls.first { $0.id == .done }?.role == .primary)
        #expect(SecuritySettingsScreen().content.controls.first { $0.id == .ok }?.role == .primary)
        var strings = PasscodeStrings.english
        strings.stepOfSteps = "Schritt %1 von %2"
        let translated = SetPasscodeScreen(mode: .create, format: .standard, strings: strings)
        #expect(translated.content.step?.accessibilityValue == "Schritt 1 von 2")
    }
}
