public import LockScreens
public import PortcullisCore

/// A screen that asks for the passcode before an act, such as switching the passcode off or biometrics on.
public struct AskPasscodeScreen: ContentScreen {
    /// The act that needs the passcode.
    public enum Purpose: Sendable, Hashable {
        /// An act that the app has already explained to the person.
        case confirm
        /// Switching the passcode off.
        case turnOff
        /// Switching on biometrics of this kind.
        case enableBiometrics(BiometricKind)
        /// An act of the app. The value is the prompt that the screen shows.
        case stated(String)
    }

    /// How the screen ended.
    public enum Ending: Sendable {
        /// The passcode was right, and the act is done.
        case done(UnlockProof)
        /// The person left the screen. The act is not done.
        case cancelled
        /// The passcode was removed while the screen was shown.
        case over
    }

    /// An event for the screen.
    public enum Event: Sendable {
        /// The screen appeared. `retryAfter` is the rest of a running delay. While a passcode is being
        /// checked, the value has no effect.
        case appeared(retryAfter: Duration)
        /// The person used the screen.
        case input(ScreenInput)
        /// The passcode was checked.
        case answered(PasscodeAnswer)
        /// The act failed.
        case failed(message: String)
        /// A wait that the screen asked for is over.
        case tick
    }

    /// An effect that the screen asks its driver for.
    public enum Effect: Sendable {
        /// Check the passcode and do the act. Answer with ``Event/answered(_:)``.
        case submit(SecretBytes)
        /// Send ``Event/tick`` after this time.
        case tick(after: Duration)
        /// Close the screen.
        case finish(Ending)
    }

    private let purpose: Purpose
    private let strings: PasscodeStrings
    private var prompt: PasscodePrompt
    private var isFinished = false

    /// Makes the screen in its state before it appears.
    ///
    /// - Parameters:
    ///   - format: the format of the passcode that is set.
    ///   - purpose: the act that needs the passcode. The screen's prompt depends on the act.
    ///   - strings: the texts.
    public init(
        format: PasscodeFormat,
        purpose: Purpose = .confirm,
        strings: PasscodeStrings = .english
    ) {
        self.purpose = purpose
        self.strings = strings
        self.prompt = PasscodePrompt(format)
    }

    /// Wraps an input in the event ``Event/input(_:)``.
    public static func input(_ input: ScreenInput) -> Event { .input(input) }

    /// All that the screen shows now.
    public var content: ScreenContent {
        var content = ScreenContent(
            title: strings.enterPasscode,
            symbol: "lock.shield.fill",
            prompt: strings.text(purpose)
        )
        prompt.fill(&content, strings)
        content.controls.append(
            ScreenControl(.cancel, title: strings.cancel, role: .cancel, isEnabled: !prompt.isVerifying)
        )
        return content
    }

    /// Whether an effect is a wait. Only a tick is a wait.
    public static func isWait(_ effect: Effect) -> Bool { if case .tick = effect { true } else { false } }

    /// Applies an event and returns the effects.
    public mutating func handle(_ event: Event, at moment: Moment) -> [Effect] {
        // The screen reports its end to the host once. Later events, such as a second press of the button or
        // a late result, have no effect.
        guard !isFinished else { return [] }
        switch event {
        case .appeared(let retryAfter):
            prompt.appeared(retryAfter, at: moment)
            return ticking()
        case .input(.activate(.cancel)):
            return prompt.isVerifying ? [] : finish(.cancelled)
        case .input(let input):
            return prompt.take(input).map { [.submit($0)] } ?? []
        case .answered(let answer):
            switch prompt.answered(answer, at: moment) {
            case .right(let proof): return finish(.done(proof))
            case .stay: return ticking()
            case .over: return finish(.over)
            }
        case .failed(let message):
            prompt.failed(message)
            return []
        case .tick:
            prompt.tick(at: moment)
            return ticking()
        }
    }

    private mutating func finish(_ ending: Ending) -> [Effect] {
        isFinished = true
        return [.finish(ending)]
    }

    private mutating func ticking() -> [Effect] {
        prompt.nextTick().map { [.tick(after: $0)] } ?? []
    }
}
