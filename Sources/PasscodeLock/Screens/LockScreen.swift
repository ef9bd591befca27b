public import LockScreens
public import PortcullisCore

/// The screen over a locked app (P-32, P-33).
public struct LockScreen: ContentScreen {
    /// What happens to it.
    public enum Event: Sendable {
        /// It appeared, or the app came back to the front while it was shown: what there is to know. Of a passcode of
        /// another format what was typed so far is no beginning.
        case appeared(retryAfter: Duration, BiometricOffer?, format: PasscodeFormat? = nil)
        /// The lock is of another generation: what was asked for before must not unlock any more.
        case generation(UInt64)
        /// What the person did.
        case input(ScreenInput)
        /// What became of a passcode.
        case answered(PasscodeAnswer, generation: UInt64)
        /// What the reader asks for while the biometric prompt is up.
        case hinted(BiometricHint, generation: UInt64)
        /// How the biometric prompt ended.
        case prompted(BiometricAnswer, generation: UInt64)
        /// The lock did not take the proof, because it is of another generation: it has to be shown once more.
        case unlockRefused
        /// Signing out has ended, and the screen is there all the same.
        case loggedOut
        /// Something asked for could not be done.
        case failed(Request = .everything, message: String)
        /// The reset mail was sent.
        case resetSent(AccountCodeRequest)
        /// Time has passed.
        case tick
    }

    /// What can fail.
    public enum Request: Sendable, Hashable {
        /// Whatever was under way.
        case everything
        /// Reading what there is to know.
        case reading
        /// Verifying a passcode.
        case verification
        /// The biometric prompt.
        case prompt
        /// Signing out, or asking for a reset.
        case leaving
    }

    /// What it wants done.
    public enum Effect: Sendable {
        /// Verify this passcode; answer with ``Event/answered(_:generation:)`` and this generation.
        case verify(SecretBytes, generation: UInt64)
        /// Show the biometric prompt; tell its hints with ``Event/hinted(_:generation:)``, and answer with
        /// ``Event/prompted(_:generation:)``, each with this generation.
        case prompt(generation: UInt64)
        /// Take the prompt away if it is still shown.
        case cancelPrompt
        /// Unlock with this proof, if the lock is still of this generation; answer with ``Event/unlockRefused`` if it is
        /// not. The screen is busy until then, or until it is gone.
        case unlock(UnlockProof, generation: UInt64)
        /// Sign out; answer with ``Event/loggedOut``. The screen stays, and is busy, until that has ended.
        case logOut
        /// Ask the account for a reset mail; answer with ``Event/resetSent(_:)``.
        case requestReset
        /// Open the reset screen.
        case openReset(AccountCodeRequest)
        /// The passcode is gone: look again whether there is anything to lock.
        case reconsider
        /// Send ``Event/tick`` after this long.
        case tick(after: Duration)
    }

    private let strings: PasscodeStrings
    private let hasAccount: Bool
    private var prompt: PasscodePrompt
    private var generation: UInt64
    private var biometrics: BiometricOffer?
    private var isPrompting = false
    /// What the reader asked for last at the latest prompt; shown while that is up.
    private var hint: BiometricHint?
    private var isAlertShown = false
    /// How often the biometric prompt unlocked.
    private var promptSuccesses = 0
    private var isRequesting = false
    /// Whether a proof was handed out that the lock has not answered yet.
    private var isUnlocking = false

    /// A lock screen before it appears.
    ///
    /// - Parameters:
    ///   - format: the format of the passcode that is set.
    ///   - hasAccount: whether a reset by mail can be offered.
    ///   - generation: of the lock that it covers.
    ///   - strings: the texts.
    public init(
        format: PasscodeFormat,
        hasAccount: Bool = false,
        generation: UInt64 = 0,
        strings: PasscodeStrings = .english
    ) {
        self.generation = generation
        self.strings = strings
        self.hasAccount = hasAccount
        self.prompt = PasscodePrompt(format)
    }

    /// ``Event/input(_:)``.
    public static func input(_ input: ScreenInput) -> Event { .input(input) }

    /// All that is to be shown now.
    public var content: ScreenContent {
        var content = ScreenContent(title: strings.enterPasscode, symbol: "lock.shield.fill")
        prompt.fill(&content, strings, isHeld: isHeld)
        content.successes += promptSuccesses
        if let biometrics, biometrics.isUsable {
            content.controls.append(
                ScreenControl(
                    .biometrics,
                    title: strings.biometricName(biometrics.kind),
                    symbol: biometrics.kind.symbolName,
                    isEnabled: !isPrompting && !isHeld
                )
            )
        }
        if isPrompting, let biometrics, let text = hint.flatMap(strings.text) {
            content.hint = ScreenHint(symbol: biometrics.kind.symbolName, text: text)
        }
        content.controls.append(ScreenControl(.forgot, title: strings.forgot, isEnabled: !isHeld))
        if isAlertShown { content.alert = alert }
        return content
    }

    private var isHeld: Bool { isRequesting || isUnlocking }

    private var alert: ScreenAlert {
        var actions = [ScreenControl(.cancel, title: strings.cancel, role: .cancel)]
        if hasAccount { actions.append(ScreenControl(.sendReset, title: strings.sendReset)) }
        actions.append(ScreenControl(.logOut, title: strings.logOut, role: .destructive))
        return ScreenAlert(
            title: strings.forgot,
            text: hasAccount ? strings.forgotAccount : strings.forgotDevice,
            actions: actions
        )
    }

    /// Only a tick.
    public static func isWait(_ effect: Effect) -> Bool { if case .tick = effect { true } else { false } }

    /// Takes an event.
    public mutating func handle(_ event: Event, at moment: Moment) -> [Effect] {
        switch event {
        case .appeared(let retryAfter, let offer, let format):
            biometrics = offer
            if let format { prompt.adopt(format) }
            prompt.delay(retryAfter, at: moment)
            let effects = startPrompt()
            return ticking(effects)
        case .input(let input):
            return isAlertShown ? answerAlert(input) : take(input)
        case .generation(let new):
            if new != generation {
                isUnlocking = false
                // What the prompt of the earlier lock proves is void.
                hint = nil
                // A person who comes after an absence must not go on where another one has stopped.
                prompt.beginAnew()
            }
            generation = new
            return []
        case .unlockRefused:
            isUnlocking = false
            prompt.settle()
            return []
        case .loggedOut:
            isRequesting = false
            return []
        case .answered(let answer, let asked):
            switch prompt.answered(answer, at: moment) {
            case .right(let proof):
                guard asked == generation else {
                    // Right, but for an earlier generation of the lock: it has to be entered again.
                    prompt.settle()
                    return []
                }
                isUnlocking = true
                return [.cancelPrompt, .unlock(proof, generation: asked)]
            case .over: return [.cancelPrompt, .reconsider]
            case .stay: return ticking([])
            }
        case .hinted(let hint, let asked):
            if asked == generation { self.hint = hint }
            return []
        case .prompted(let answer, let asked):
            isPrompting = false
            return asked == generation ? prompted(answer) : []
        case .failed(let request, let message):
            switch request {
            case .everything:
                isRequesting = false
                isPrompting = false
                isUnlocking = false
                prompt.failed(message)
            case .verification:
                prompt.failed(message)
            case .prompt:
                isPrompting = false
                prompt.say(message)
            case .leaving:
                isRequesting = false
                prompt.say(message)
            case .reading:
                prompt.say(message)
            }
            return []
        case .resetSent(let request):
            isRequesting = false
            return [.openReset(request)]
        case .tick:
            prompt.tick(at: moment)
            return ticking([])
        }
    }

    private mutating func ticking(_ effects: [Effect]) -> [Effect] {
        prompt.nextTick().map { effects + [.tick(after: $0)] } ?? effects
    }

    private mutating func startPrompt() -> [Effect] {
        guard !isPrompting, !isHeld, biometrics?.isUsable == true else { return [] }
        isPrompting = true
        hint = nil
        return [.prompt(generation: generation)]
    }

    private mutating func take(_ input: ScreenInput) -> [Effect] {
        guard !isHeld else { return [] }
        switch input {
        case .activate(.biometrics):
            let effects = startPrompt()
            // What the prompt before said would cover what this one asks for.
            if !effects.isEmpty { prompt.forgetFailure() }
            return effects
        case .activate(.forgot):
            isAlertShown = true
            return []
        default:
            return prompt.take(input).map { [.verify($0, generation: generation)] } ?? []
        }
    }

    private mutating func answerAlert(_ input: ScreenInput) -> [Effect] {
        guard case .activate(let action) = input else { return [] }
        switch action {
        case .cancel:
            isAlertShown = false
            return []
        case .logOut:
            isAlertShown = false
            isRequesting = true
            return [.cancelPrompt, .logOut]
        case .sendReset where hasAccount:
            isAlertShown = false
            isRequesting = true
            return [.requestReset]
        default:
            return []
        }
    }

    private mutating func prompted(_ answer: BiometricAnswer) -> [Effect] {
        switch answer {
        case .unlocked(let proof):
            guard !isRequesting else { return [] }
            isUnlocking = true
            promptSuccesses += 1
            return [.unlock(proof, generation: generation)]
        case .ended(.failed(let message)):
            prompt.say(message == BiometricOutcome.defaultFailureMessage ? strings.notRecognised : message)
            return []
        case .ended(.lockedOut):
            biometrics?.isUsable = false
            // Else the button would go without a word.
            prompt.say(strings.biometricsLockedOut)
            return []
        case .ended(.notAvailable), .ended(.notEnrolled), .passcodeNeeded:
            biometrics?.isUsable = false
            return []
        case .ended(.success), .ended(.passcodeChosen), .ended(.cancelled):
            return []
        }
    }
}

extension LockScreen.Effect {
    /// What of the screen fails when this effect does.
    public var request: LockScreen.Request {
        switch self {
        case .verify: .verification
        case .prompt, .cancelPrompt: .prompt
        case .logOut, .requestReset, .openReset: .leaving
        case .unlock, .reconsider, .tick: .reading
        }
    }
}
