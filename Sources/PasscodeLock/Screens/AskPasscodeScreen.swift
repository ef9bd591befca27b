public import LockScreens
public import PortcullisCore

/// Asks for the passcode before something is done with it: switching it off, switching biometrics on.
public struct AskPasscodeScreen: ContentScreen {
    /// What the passcode is asked for.
    public enum Purpose: Sendable, Hashable {
        /// Something that the app has said before.
        case confirm
        /// Switching the passcode off.
        case turnOff
        /// Switching biometrics of this kind on.
        case enableBiometrics(BiometricKind)
        /// Something of the app's own, in these words.
        case stated(String)
    }

    /// How it ended.
    public enum Ending: Sendable {
        /// The passcode was right and what it was asked for is done.
        case done(UnlockProof)
        /// It was left: nothing is done.
        case cancelled
        /// There is no passcode any more.
        case over
    }

    /// What happens to it.
    public enum Event: Sendable {
        /// It appeared, with a delay that is being served.
        case appeared(retryAfter: Duration)
        /// What the person did.
        case input(ScreenInput)
        /// What became of the passcode.
        case answered(PasscodeAnswer)
        /// What was asked could not be done.
        case failed(message: String)
        /// Time has passed.
        case tick
    }

    /// What it wants done.
    public enum Effect: Sendable {
        /// Do what the passcode is asked for; answer with ``Event/answered(_:)``.
        case submit(SecretBytes)
        /// Send ``Event/tick`` after this long.
        case tick(after: Duration)
        /// Close the screen.
        case finish(Ending)
    }

    private let purpose: Purpose
    private let strings: PasscodeStrings
    private var prompt: PasscodePrompt

    /// A screen before it appears.
    ///
    /// - Parameters:
    ///   - format: of the passcode that is set.
    ///   - purpose: what it is asked for; the screen says so.
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

    /// ``Event/input(_:)``.
    public static func input(_ input: ScreenInput) -> Event { .input(input) }

    /// All that is to be shown now.
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

    /// Only a tick.
    public static func isWait(_ effect: Effect) -> Bool { if case .tick = effect { true } else { false } }

    /// Takes an event.
    public mutating func handle(_ event: Event, at moment: Moment) -> [Effect] {
        switch event {
        case .appeared(let retryAfter):
            prompt.delay(retryAfter, at: moment)
            return ticking()
        case .input(.activate(.cancel)):
            return prompt.isVerifying ? [] : [.finish(.cancelled)]
        case .input(let input):
            return prompt.take(input).map { [.submit($0)] } ?? []
        case .answered(let answer):
            switch prompt.answered(answer, at: moment) {
            case .right(let proof): return [.finish(.done(proof))]
            case .stay: return ticking()
            case .over: return [.finish(.over)]
            }
        case .failed(let message):
            prompt.failed(message)
            return []
        case .tick:
            prompt.tick(at: moment)
            return ticking()
        }
    }

    private mutating func ticking() -> [Effect] {
        prompt.nextTick().map { [.tick(after: $0)] } ?? []
    }
}
