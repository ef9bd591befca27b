public import LockScreens
public import PortcullisCore

/// The screen over a locked app (P-32, P-33).
public struct LockScreen: ContentScreen {
    /// An event for the screen.
    public enum Event: Sendable {
        /// The screen appeared, or the app came to the front again. The event carries the state of the
        /// passcode. `retryAfter` is the delay before the next try, or zero. If the delay could not be read,
        /// the value is `nil`, and a delay that is shown goes on. While a passcode is being checked, the
        /// value has no effect. If the format has changed, the screen drops the characters typed so far.
        case appeared(retryAfter: Duration?, BiometricOffer?, format: PasscodeFormat? = nil)
        /// The passcode has another format now, because it was changed elsewhere. The screen drops the
        /// characters typed so far.
        case format(PasscodeFormat)
        /// The lock has a new generation; see ``LockState/generation``. The results of requests from an
        /// earlier generation must not unlock the app.
        case generation(UInt64)
        /// The person used the screen.
        case input(ScreenInput)
        /// A passcode was checked.
        case answered(PasscodeAnswer, generation: UInt64)
        /// The biometric reader gave a hint while its prompt was shown, such as "touch the reader".
        case hinted(BiometricHint, generation: UInt64)
        /// The biometric prompt ended.
        case prompted(BiometricAnswer, generation: UInt64)
        /// The host refused the proof, or the lock did, because the proof is of another generation. The
        /// person has to unlock again.
        case unlockRefused
        /// Signing out has ended, and the screen is still shown.
        case loggedOut
        /// A request failed.
        case failed(Request = .everything, message: String)
        /// The reset mail was sent.
        case resetSent(AccountCodeRequest)
        /// Whether the screen may offer recovery. Recovery needs a passcode with a recovery passphrase and a
        /// host that can open the recovery screen.
        case recoverable(Bool)
        /// A wait that the screen asked for is over.
        case tick
    }

    /// A request of the screen that can fail.
    public enum Request: Sendable, Hashable {
        /// All requests that are under way.
        case everything
        /// Reading the state of the passcode.
        case reading
        /// Verifying a passcode.
        case verification
        /// The biometric prompt.
        case prompt
        /// Signing out, or asking for a reset.
        case leaving
    }

    /// An effect that the screen asks its driver for.
    public enum Effect: Sendable {
        /// Verify this passcode. Answer with ``Event/answered(_:generation:)`` and this generation.
        case verify(SecretBytes, generation: UInt64)
        /// Show the biometric prompt. Report its hints with ``Event/hinted(_:generation:)`` and its end with
        /// ``Event/prompted(_:generation:)``, each with this generation.
        case prompt(generation: UInt64)
        /// Close the biometric prompt if it is still shown.
        case cancelPrompt
        /// If the lock is still of this generation, unlock with this proof. Otherwise answer with
        /// ``Event/unlockRefused``. The screen is busy until the answer comes or the screen closes.
        case unlock(UnlockProof, generation: UInt64)
        /// Sign out, then answer with ``Event/loggedOut``. The screen stays and is busy until signing out has
        /// ended.
        case logOut
        /// Ask the account for a reset mail. Answer with ``Event/resetSent(_:)``.
        case requestReset
        /// Open the reset screen.
        case openReset(AccountCodeRequest)
        /// Open the screen that sets a new passcode with the recovery passphrase.
        case openRecovery
        /// The passcode has been removed: check again whether the app has to be locked.
        case reconsider
        /// Send ``Event/tick`` after this time.
        case tick(after: Duration)
    }

    private let strings: PasscodeStrings
    private let hasAccount: Bool
    private var prompt: PasscodePrompt
    private var generation: UInt64
    private var biometrics: BiometricOffer?
    /// The generation of the last biometric prompt; `nil` after that prompt has ended. If the lock has a
    /// newer generation, a new prompt can start before the old prompt has ended.
    private var promptedGeneration: UInt64?
    /// The last hint of the biometric reader. The screen shows the hint while the prompt is shown.
    private var hint: BiometricHint?
    private var isAlertShown = false
    private var isRecoverable = false
    /// The number of times that the biometric prompt unlocked.
    private var promptSuccesses = 0
    private var isRequesting = false
    private var isLoggingOut = false
    /// Whether a proof was sent to the lock and the lock has not answered yet.
    private var isUnlocking = false

    /// Makes the lock screen in its state before it appears.
    ///
    /// - Parameters:
    ///   - format: the format of the passcode that is set.
    ///   - hasAccount: whether a reset by mail can be offered.
    ///   - generation: the generation of the lock for which the screen is shown.
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

    /// Whether a passcode is being checked, or a proof waits for the lock's answer.
    var isProving: Bool { prompt.isVerifying || isUnlocking }

    /// Wraps an input in the event ``Event/input(_:)``.
    public static func input(_ input: ScreenInput) -> Event { .input(input) }

    /// All that the screen shows now.
    public var content: ScreenContent {
        var content = ScreenContent(title: strings.enterPasscode, symbol: "lock.shield.fill")
        prompt.fill(&content, strings, isHeld: isHeld, isRecoverable: isRecoverable)
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

    private var isPrompting: Bool { promptedGeneration == generation }

    private var alert: ScreenAlert {
        var actions = [ScreenControl(.cancel, title: strings.cancel, role: .cancel)]
        if hasAccount { actions.append(ScreenControl(.sendReset, title: strings.sendReset)) }
        if isRecoverable { actions.append(ScreenControl(.recover, title: strings.useRecovery)) }
        actions.append(ScreenControl(.logOut, title: strings.logOut, role: .destructive))
        return ScreenAlert(
            title: strings.forgot,
            text: (isRecoverable ? strings.forgotRecoverable + " " : "")
                + (hasAccount ? strings.forgotAccount : strings.forgotDevice),
            actions: actions
        )
    }

    /// Whether an effect is a wait. Only a tick is a wait.
    public static func isWait(_ effect: Effect) -> Bool { if case .tick = effect { true } else { false } }

    /// Applies an event and returns the effects.
    public mutating func handle(_ event: Event, at moment: Moment) -> [Effect] {
        switch event {
        case .appeared(let retryAfter, let offer, let format):
            biometrics = offer
            if let format { prompt.adopt(format) }
            if let retryAfter { prompt.appeared(retryAfter, at: moment) }
            let effects = startPrompt()
            return ticking(effects)
        case .format(let format):
            prompt.adopt(format)
            return []
        case .input(let input):
            return isAlertShown ? answerAlert(input) : take(input)
        case .generation(let new):
            if new != generation {
                isUnlocking = false
                // The hint came from a prompt of an earlier generation. The result of that prompt no longer
                // counts.
                hint = nil
                // After an absence another person may hold the device, so the entry is cleared.
                prompt.beginAnew()
            }
            generation = new
            return []
        case .unlockRefused:
            isUnlocking = false
            prompt.settle()
            return []
        case .loggedOut:
            (isRequesting, isLoggingOut) = (false, false)
            return []
        case .answered(let answer, let asked):
            switch prompt.answered(answer, at: moment) {
            case .right(let proof):
                guard asked == generation, !isLoggingOut else {
                    // The passcode was right, but the check was for an earlier generation of the lock, or the
                    // person is signing out. If the screen stays, the person has to enter the passcode again.
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
            if promptedGeneration == asked { promptedGeneration = nil }
            return asked == generation ? prompted(answer) : []
        case .failed(let request, let message):
            switch request {
            case .everything:
                (isRequesting, isLoggingOut) = (false, false)
                promptedGeneration = nil
                isUnlocking = false
                prompt.failed(message)
            case .verification:
                prompt.failed(message)
            case .prompt:
                promptedGeneration = nil
                prompt.say(message)
            case .leaving:
                (isRequesting, isLoggingOut) = (false, false)
                prompt.say(message)
            case .reading:
                prompt.say(message)
            }
            return []
        case .resetSent(let request):
            isRequesting = false
            return [.openReset(request)]
        case .recoverable(let isRecoverable):
            self.isRecoverable = isRecoverable
            return []
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
        promptedGeneration = generation
        hint = nil
        return [.prompt(generation: generation)]
    }

    private mutating func take(_ input: ScreenInput) -> [Effect] {
        guard !isHeld else { return [] }
        switch input {
        case .activate(.biometrics):
            let effects = startPrompt()
            // The message of the previous prompt is removed, because it would hide the hints of the new
            // prompt.
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
            (isRequesting, isLoggingOut) = (true, true)
            return [.cancelPrompt, .logOut]
        case .sendReset where hasAccount:
            isAlertShown = false
            isRequesting = true
            return [.requestReset]
        case .recover where isRecoverable:
            isAlertShown = false
            return [.cancelPrompt, .openRecovery]
        default:
            return []
        }
    }

    private mutating func prompted(_ answer: BiometricAnswer) -> [Effect] {
        switch answer {
        case .unlocked(let proof):
            // A typed passcode may already have given a proof while the prompt was ending. The first proof
            // counts, so this one is dropped. If the first proof is refused, the person has to unlock again.
            guard !isHeld else { return [] }
            isUnlocking = true
            promptSuccesses += 1
            return [.unlock(proof, generation: generation)]
        case .ended(.failed(let message)):
            prompt.say(message == BiometricOutcome.defaultFailureMessage ? strings.notRecognised : message)
            return []
        case .ended(.lockedOut):
            biometrics?.isUsable = false
            // The biometrics button disappears now. The message tells the person why.
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
    /// The request that fails when this effect fails.
    public var request: LockScreen.Request {
        switch self {
        case .verify: .verification
        case .prompt, .cancelPrompt: .prompt
        case .logOut, .requestReset, .openReset, .openRecovery: .leaving
        case .unlock, .reconsider, .tick: .reading
        }
    }
}
