import FakeBiometrics
import LockScreens
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("A prompt that the screen draws from its hints (H-7)", .timeLimit(.minutes(5)))
struct BiometricHintTests {
    private let touchID = BiometricOffer(kind: .touchID, isEnabled: true, isUsable: true, canEnable: true)

    private func prompting() -> Stage<LockScreen> {
        var stage = Stage(LockScreen(format: .standard, generation: 3))
        stage.send(.appeared(retryAfter: .zero, touchID))
        return stage
    }

    private func hint(_ text: String) -> ScreenHint { ScreenHint(symbol: "touchid", text: text) }

    @Test("H-7: what the reader asks for is shown while the prompt is up, the newest alone")
    func shown() {
        var stage = prompting()
        #expect(stage.content.hint == nil)
        stage.send(.hinted(.touch, generation: 3))
        #expect(stage.content.hint == hint("Touch the reader"))
        stage.send(.hinted(.tooShort, generation: 3))
        #expect(stage.content.hint == hint("Too short. Try again"))
        stage.send(.hinted(BiometricHint("dance"), generation: 3))
        #expect(stage.content.hint == nil, "a hint that is not known is not shown by its name")
        stage.send(.hinted(.swipe, generation: 3))
        stage.type("83")
        #expect(stage.content.hint == hint("Swipe your finger over the reader"))
        #expect(stage.content.entry?.filled == 2, "both wait at the same time")
    }

    @Test("H-7: a hint goes with its prompt, and one of an earlier lock is not shown")
    func gone() {
        let ends: [LockScreen.Event] = [
            .prompted(.ended(.cancelled(by: .user)), generation: 3), .failed(.prompt, message: "gone"),
            .failed(message: "gone"),
        ]
        for end in ends {
            var stage = prompting()
            stage.send(.hinted(.touch, generation: 3))
            stage.send(end)
            #expect(stage.content.hint == nil)
            stage.activate(.biometrics)
            #expect(stage.content.hint == nil, "the next prompt has not asked for anything yet")
        }
        var stage = prompting()
        stage.send(.hinted(.touch, generation: 2))
        #expect(stage.content.hint == nil)
        stage.send(.hinted(.touch, generation: 3))
        stage.send(.generation(4))
        #expect(stage.content.hint == nil, "a touch now would open nothing")
    }

    @Test("H-7: what the prompt before said goes when the person asks for another")
    func retry() {
        var stage = prompting()
        stage.send(.prompted(.ended(.failed(message: "No match")), generation: 3))
        #expect(stage.content.message?.text == "No match")
        stage.activate(.biometrics)
        #expect(stage.content.message == nil)
        stage.type("111111")
        stage.send(.answered(.wrong(failures: 1, retryAfter: .zero), generation: 3))
        stage.send(.prompted(.ended(.cancelled(by: .user)), generation: 3))
        stage.activate(.biometrics)
        #expect(stage.content.message?.text == "Incorrect passcode", "that is about the passcode")
    }

    @Test("H-7: each hint that the library names has a text, which can be replaced")
    func texts() {
        let hints: [BiometricHint] = [
            .touch, .swipe, .tryAgain, .tooShort, .centre, .removeAndRetry, .look, .insertKey,
        ]
        #expect(Set(hints.compactMap { PasscodeStrings.english.text($0) }).count == hints.count)
        var strings = PasscodeStrings.english
        strings.hintTouch = "Sensor berühren"
        #expect(strings.text(.touch) == "Sensor berühren")
    }

    @Test(
        "H-7: the reader's hints reach the lock screen; the passcode ends the prompt, and no hint comes after"
    )
    @MainActor
    func driven() async throws {
        let bench = Bench()
        let reader = FakeBiometrics(kind: .touchID, clock: bench.clock)
        let service = try PasscodeService(
            user: .ada,
            backends: Backends(
                secrets: InMemorySecretStore(bench.storage),
                biometrics: reader,
                sealer: bench.sealer,
                clock: bench.clock
            ),
            session: bench.host,
            configuration: bench.configuration
        )
        try await service.set(SecretBytes("834912"))
        _ = try await service.enableBiometrics(SecretBytes("834912"))
        let lock = AppLock(session: LockSession(service: service))
        await lock.start()
        await lock.lock()
        try await BoundedWait.until("the prompt") { reader.isPrompting }
        #expect(reader.give(.centre))
        try await BoundedWait.until("the hint") {
            lock.lockScreen?.content.hint?.text == "Centre your finger on the reader"
        }
        for digit in 0..<6 { lock.lockScreen?.send(.digit([8, 3, 4, 9, 1, 2][digit])) }
        try await BoundedWait.until("the lock to open") { lock.cover == .none }
        try await BoundedWait.until("the prompt to go") { !reader.isPrompting }
        #expect(!reader.give(.touch))
    }
}
