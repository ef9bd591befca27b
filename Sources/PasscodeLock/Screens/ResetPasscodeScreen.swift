public import LockScreens
public import PortcullisCore

/// The screen that sets a new passcode with a code from a mail (P-35).
public struct ResetPasscodeScreen: ContentScreen {
    /// How the screen ended.
    public enum Ending: Sendable {
        /// The new passcode is set. The app unlocks.
        case reset(UnlockProof)
        /// The person left the screen. The old passcode stays.
        case cancelled
    }

    /// An event for the screen.
    public enum Event: Sendable {
        /// The person used the screen.
        case input(ScreenInput)
        /// The code was right and the new passcode is set.
        case accepted(UnlockProof)
        /// The code was refused.
        case codeRefused(message: String)
        /// A request failed.
        case failed(message: String)
        /// Another code was sent. The value is the request to which the new code belongs.
        case resent(AccountCodeRequest)
        /// The app has locked again. Another person may hold the device now, so the screen drops the code and
        /// all else that was entered.
        case relocked
        /// A wait that the screen asked for is over.
        case tick
    }

    /// An effect that the screen asks its driver for.
    public enum Effect: Sendable {
        /// Ask for another code. Answer with ``Event/resent(_:)``.
        case resend
        /// Set this passcode with the code of this request. Answer with ``Event/accepted(_:)`` or
        /// ``Event/codeRefused(message:)``.
        case reset(code: SecretBytes, of: AccountCodeRequest, to: SecretBytes)
        /// Send ``Event/tick`` after this time.
        case tick(after: Duration)
        /// Close the screen.
        case finish(Ending)
    }

    private enum Step: Sendable {
        case code
        case new
        case confirm
        case mismatch(until: Duration)
    }

    private let strings: PasscodeStrings
    private let format: PasscodeFormat
    private let weakPasscodes: WeakPasscodePolicy
    private var request: AccountCodeRequest
    private var asksAboutWeak = false
    private var step = Step.code
    private var entry = PasscodeEntry(.digits(6))
    private var code: SecretBytes?
    private var first: SecretBytes?
    private var message: ScreenMessage?
    private var shakes = 0
    private var isReset = false
    private var isBusy = false
    /// Whether the app has locked again while the request to set the new passcode was under way. If the
    /// request fails, the screen asks for the code again.
    private var isRelocked = false
    private var isFinished = false

    /// Makes a screen in which nothing is entered yet. The code always has six digits.
    ///
    /// - Parameters:
    ///   - request: the request for which the code was sent.
    ///   - format: the format of the new passcode.
    ///   - weakPasscodes: the treatment of an easily guessed passcode.
    ///   - strings: the texts.
    public init(
        request: AccountCodeRequest,
        format: PasscodeFormat,
        weakPasscodes: WeakPasscodePolicy = .warn,
        strings: PasscodeStrings = .english
    ) {
        self.request = request
        self.format = format
        self.weakPasscodes = weakPasscodes
        self.strings = strings
    }

    /// Wraps an input in the event ``Event/input(_:)``.
    public static func input(_ input: ScreenInput) -> Event { .input(input) }

    /// All that the screen shows now.
    public var content: ScreenContent {
        var content = ScreenContent(
            title: strings.resetTitle,
            symbol: "lock.shield.fill",
            prompt: promptText,
            step: stepContent,
            entry: entry.content(strings),
            pad: entry.pad(isEnabled: takesInput, strings),
            message: message,
            shakes: shakes,
            successes: isReset ? 1 : 0,
            isBusy: isBusy,
            isPaused: isPaused
        )
        if let done = entry.doneControl(isEnabled: takesInput, strings) { content.controls.append(done) }
        if case .code = step {
            content.entry?.autofill = .oneTimeCode
            content.controls.append(ScreenControl(.resend, title: strings.resend, isEnabled: !isBusy))
        }
        content.controls.append(
            ScreenControl(.cancel, title: strings.cancel, role: .cancel, isEnabled: !isBusy)
        )
        if asksAboutWeak { content.alert = .easilyGuessed(strings) }
        return content
    }

    private var stepContent: ScreenStep {
        switch step {
        case .code: strings.step(1, of: 3)
        case .new: strings.step(2, of: 3)
        case .confirm, .mismatch: strings.step(3, of: 3)
        }
    }

    private var promptText: String {
        switch step {
        case .code: strings.enterCode
        case .new: strings.enterNew
        case .confirm, .mismatch: strings.confirmNew
        }
    }

    private var isPaused: Bool { if case .mismatch = step { true } else { false } }

    private var takesInput: Bool { !isPaused && !isBusy && !asksAboutWeak }

    /// Whether an effect is a wait. Only a tick is a wait.
    public static func isWait(_ effect: Effect) -> Bool { if case .tick = effect { true } else { false } }

    /// Applies an event and returns the effects.
    public mutating func handle(_ event: Event, at moment: Moment) -> [Effect] {
        // The screen reports its end to the host once. Later events, such as a second press of the button or
        // a late result, have no effect.
        guard !isFinished else { return [] }
        switch event {
        case .input(let input) where asksAboutWeak:
            answerAlert(input)
            return []
        case .input(.activate(.cancel)):
            return isBusy ? [] : finish(.cancelled)
        case .input(.activate(.resend)):
            guard case .code = step, !isBusy else { return [] }
            isBusy = true
            return [.resend]
        case .input(let input):
            return takesInput ? take(input, at: moment) : []
        case .accepted(let proof):
            // The host first unlocks the app, and then closes the screen. Until then the screen stays busy.
            isReset = true
            return finish(.reset(proof))
        case .codeRefused(let text):
            fail(text)
            beginAnew()
            return []
        case .failed(let text):
            fail(text)
            if isRelocked { beginAnew() }
            return []
        case .resent(let another):
            request = another
            isBusy = false
            message = ScreenMessage(.notice, strings.codeSent)
            return []
        case .relocked:
            // A request to set the new passcode cannot be cancelled, so the screen waits for its end. In all
            // other cases the entries are dropped at once, even while the screen requests another code.
            if isBusy, case .confirm = step {
                isRelocked = true
            } else {
                beginAnew()
                message = nil
            }
            return []
        case .tick:
            if case .mismatch(let until) = step, moment.sinceBoot >= until { go(to: .new) }
            return []
        }
    }

    private mutating func finish(_ ending: Ending) -> [Effect] {
        isFinished = true
        return [.finish(ending)]
    }

    private mutating func fail(_ text: String) {
        isBusy = false
        shakes += 1
        entry.clear()
        message = ScreenMessage(.error, text)
    }

    /// Asks for the code again, and drops all that was entered.
    private mutating func beginAnew() {
        asksAboutWeak = false
        isRelocked = false
        first = nil
        go(to: .code)
    }

    private mutating func go(to next: Step) {
        step = next
        if case .code = next {
            code = nil
            entry = PasscodeEntry(.digits(6))
        } else {
            entry = PasscodeEntry(format)
        }
    }

    private mutating func take(_ input: ScreenInput, at moment: Moment) -> [Effect] {
        let countBefore = entry.count
        let isComplete = entry.take(input)
        if entry.count > countBefore { message = nil }
        guard isComplete else {
            if let violation = entry.shortfall(at: input) {
                message = ScreenMessage(.error, strings.text(violation))
            }
            return []
        }
        switch step {
        case .code:
            code = entry.typed
            go(to: .new)
        case .new:
            switch PasscodeWeakness.of(entry.typed) == nil ? .allow : weakPasscodes {
            case .allow: acceptFirst()
            case .warn: asksAboutWeak = true
            case .reject: fail(strings.easilyGuessed)
            }
        case .confirm:
            return confirm(at: moment)
        case .mismatch:
            break
        }
        return []
    }

    private mutating func acceptFirst() {
        first = entry.typed
        go(to: .confirm)
    }

    private mutating func answerAlert(_ input: ScreenInput) {
        guard case .activate(let action) = input else { return }
        if action == .useAnyway {
            acceptFirst()
        } else if action == .chooseAnother {
            entry.clear()
        } else {
            return
        }
        asksAboutWeak = false
    }

    private mutating func confirm(at moment: Moment) -> [Effect] {
        guard let first, let code, first.matches(entry.typed) else {
            fail(strings.resetMismatch)
            self.first = nil
            let pause = SetPasscodeScreen.mismatchPause
            step = .mismatch(until: moment.sinceBoot + pause)
            return [.tick(after: pause)]
        }
        isBusy = true
        return [.reset(code: code, of: request, to: first)]
    }
}
