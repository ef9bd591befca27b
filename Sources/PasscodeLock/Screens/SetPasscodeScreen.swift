public import LockScreens
public import PortcullisCore

/// The screen that sets the first passcode or changes it (P-34).
public struct SetPasscodeScreen: ContentScreen {
    /// The task of the screen.
    public enum Mode: Sendable, Hashable {
        /// Set the first passcode. The steps are: create, confirm.
        case create
        /// Change the passcode. The steps are: current, new, confirm.
        case change
    }

    /// How the screen ended.
    public enum Ending: Sendable {
        /// The new passcode is set.
        case saved(UnlockProof)
        /// The person left the screen. No new passcode was set.
        case notSet
        /// The passcode was removed while the screen asked for it.
        case over
    }

    /// An event for the screen.
    public enum Event: Sendable {
        /// The screen appeared. `retryAfter` is the time that is left of a running delay, or zero. While the
        /// current passcode is being checked, the value has no effect.
        case appeared(retryAfter: Duration)
        /// The person used the screen.
        case input(ScreenInput)
        /// The current passcode was checked.
        case answered(PasscodeAnswer)
        /// Saving ended. When a passcode is changed, the service checks the current passcode once more. So
        /// the answer can be any answer of a check.
        case saved(PasscodeAnswer)
        /// A request failed.
        case failed(message: String)
        /// A wait that the screen asked for is over.
        case tick
    }

    /// An effect that the screen asks its driver for.
    public enum Effect: Sendable {
        /// Verify the current passcode. Answer with ``Event/answered(_:)``.
        case verify(SecretBytes)
        /// Set the first passcode. Answer with ``Event/saved(_:)``.
        case set(SecretBytes)
        /// Change the passcode. Answer with ``Event/saved(_:)``.
        case change(from: SecretBytes, to: SecretBytes)
        /// Send ``Event/tick`` after this time.
        case tick(after: Duration)
        /// Close the screen.
        case finish(Ending)
    }

    private enum Step: Sendable {
        case current
        case new
        case confirm
        /// The screen shows for half a second that the two entries differ.
        case mismatch(until: Duration)
    }

    /// The time that the mismatch message is shown before the screen asks for the new passcode again.
    static let mismatchPause = Duration.milliseconds(500)

    private let mode: Mode
    private let weakPasscodes: WeakPasscodePolicy
    private let strings: PasscodeStrings
    private let format: PasscodeFormat
    private var step: Step
    private var current: PasscodePrompt
    private var currentPasscode: SecretBytes?
    private var entry: PasscodeEntry
    private var first: SecretBytes?
    private var error: String?
    private var shakes = 0
    private var isSaved = false
    private var isSaving = false
    private var asksAboutWeak = false
    private var isFinished = false

    /// Makes the screen in its state before it appears.
    ///
    /// - Parameters:
    ///   - mode: whether the screen sets the first passcode or changes it.
    ///   - format: the format of the new passcode.
    ///   - currentFormat: the format of the present passcode when the passcode is changed; `nil`: the same
    ///     format as `format`.
    ///   - weakPasscodes: the treatment of an easily guessed passcode.
    ///   - strings: the texts.
    public init(
        mode: Mode,
        format: PasscodeFormat,
        currentFormat: PasscodeFormat? = nil,
        weakPasscodes: WeakPasscodePolicy = .warn,
        strings: PasscodeStrings = .english
    ) {
        self.mode = mode
        self.weakPasscodes = weakPasscodes
        self.strings = strings
        self.format = format
        self.step = mode == .change ? .current : .new
        self.current = PasscodePrompt(currentFormat ?? format)
        self.entry = PasscodeEntry(format)
    }

    /// Wraps an input in the event ``Event/input(_:)``.
    public static func input(_ input: ScreenInput) -> Event { .input(input) }

    /// All that the screen shows now.
    public var content: ScreenContent {
        var content = ScreenContent(
            title: mode == .create ? strings.setTitle : strings.changeTitle,
            symbol: "lock.shield.fill",
            prompt: promptText,
            step: stepContent
        )
        if case .current = step {
            current.fill(&content, strings)
        } else {
            content.entry = entry.content(strings)
            content.pad = entry.pad(isEnabled: takesInput, strings)
            content.message = error.map { ScreenMessage(.error, $0) }
            content.shakes = current.shakes + shakes
            content.successes = current.successes + (isSaved ? 1 : 0)
            content.isBusy = isSaving
            content.isPaused = isPaused
            if let done = entry.doneControl(isEnabled: takesInput, strings) { content.controls.append(done) }
        }
        content.controls.append(
            ScreenControl(.cancel, title: strings.cancel, role: .cancel, isEnabled: !isSaving)
        )
        if asksAboutWeak { content.alert = .easilyGuessed(strings) }
        return content
    }

    private var stepContent: ScreenStep {
        let asksCurrent = mode == .change ? 1 : 0
        let number =
            switch step {
            case .current: 1
            case .new: asksCurrent + 1
            case .confirm, .mismatch: asksCurrent + 2
            }
        return strings.step(number, of: asksCurrent + 2)
    }

    private var promptText: String {
        switch (step, mode) {
        case (.current, _): strings.enterCurrent
        case (.new, .create): strings.create
        case (.new, .change): strings.enterNew
        case (.confirm, .create), (.mismatch, .create): strings.confirm
        case (.confirm, .change), (.mismatch, .change): strings.confirmNew
        }
    }

    private var isPaused: Bool { if case .mismatch = step { true } else { false } }

    private var takesInput: Bool { !isPaused && !isSaving && !asksAboutWeak }

    /// Whether an effect is a wait. Only a tick is a wait.
    public static func isWait(_ effect: Effect) -> Bool { if case .tick = effect { true } else { false } }

    /// Applies an event and returns the effects.
    public mutating func handle(_ event: Event, at moment: Moment) -> [Effect] {
        // The screen reports its end to the host once. Later events, such as a second press of the button or
        // a late result, have no effect.
        guard !isFinished else { return [] }
        switch event {
        case .appeared(let retryAfter):
            // Saving checks the current passcode once more.
            if !isSaving { current.appeared(retryAfter, at: moment) }
            return ticking()
        case .input(.activate(.cancel)) where !isSaving && !asksAboutWeak:
            return finish(.notSet)
        case .input(let input):
            if asksAboutWeak { return answerAlert(input) }
            if case .current = step { return current.take(input).map { check($0) } ?? [] }
            return takesInput ? take(input, at: moment) : []
        case .answered(let answer):
            return answered(answer, at: moment)
        case .saved(.right(let proof)):
            // The screen stays busy until it closes, because closing may take time.
            isSaved = true
            return finish(.saved(proof))
        case .saved(let answer):
            isSaving = false
            return saveRefused(answer, at: moment)
        case .failed(let message):
            fail(message)
            return []
        case .tick:
            return tick(at: moment)
        }
    }

    private mutating func finish(_ ending: Ending) -> [Effect] {
        isFinished = true
        return [.finish(ending)]
    }

    private mutating func check(_ passcode: SecretBytes) -> [Effect] {
        currentPasscode = passcode
        return [.verify(passcode)]
    }

    private mutating func answered(_ answer: PasscodeAnswer, at moment: Moment) -> [Effect] {
        switch current.answered(answer, at: moment) {
        case .right:
            current.settle()
            step = .new
            return []
        case .stay:
            currentPasscode = nil
            return ticking()
        case .over:
            return finish(.over)
        }
    }

    /// Asks for the current passcode again. The first check accepted the passcode, but the second check,
    /// which is part of saving, did not.
    private mutating func saveRefused(_ answer: PasscodeAnswer, at moment: Moment) -> [Effect] {
        entry.clear()
        first = nil
        step = .current
        return answered(answer, at: moment)
    }

    private mutating func fail(_ message: String) {
        if case .current = step {
            current.failed(message)
            return
        }
        isSaving = false
        entry.clear()
        error = message
    }

    private mutating func take(_ input: ScreenInput, at moment: Moment) -> [Effect] {
        let countBefore = entry.count
        let isComplete = entry.take(input)
        if entry.count > countBefore { error = nil }
        guard isComplete else {
            if let violation = entry.shortfall(at: input) { error = strings.text(violation) }
            return []
        }
        guard let first else {
            switch PasscodeWeakness.of(entry.typed) == nil ? .allow : weakPasscodes {
            case .allow: acceptFirst()
            case .warn: asksAboutWeak = true
            case .reject: refuse(strings.easilyGuessed)
            }
            return []
        }
        guard first.matches(entry.typed) else {
            refuse(strings.mismatch)
            self.first = nil
            step = .mismatch(until: moment.sinceBoot + Self.mismatchPause)
            return [.tick(after: Self.mismatchPause)]
        }
        isSaving = true
        if let currentPasscode { return [.change(from: currentPasscode, to: first)] }
        return [.set(first)]
    }

    private mutating func acceptFirst() {
        first = entry.typed
        entry.clear()
        step = .confirm
    }

    private mutating func refuse(_ message: String) {
        error = message
        shakes += 1
        entry.clear()
    }

    private mutating func answerAlert(_ input: ScreenInput) -> [Effect] {
        guard case .activate(let action) = input else { return [] }
        if action == .useAnyway {
            acceptFirst()
        } else if action == .chooseAnother {
            entry.clear()
        } else {
            return []
        }
        asksAboutWeak = false
        return []
    }

    private mutating func tick(at moment: Moment) -> [Effect] {
        if case .mismatch(let until) = step, moment.sinceBoot >= until { step = .new }
        current.tick(at: moment)
        return ticking()
    }

    private mutating func ticking() -> [Effect] {
        current.nextTick().map { [.tick(after: $0)] } ?? []
    }
}

extension ScreenAlert {
    /// The alert that asks whether to keep an easily guessed passcode.
    static func easilyGuessed(_ strings: PasscodeStrings) -> ScreenAlert {
        ScreenAlert(
            title: strings.easilyGuessed,
            text: "",
            actions: [
                ScreenControl(.useAnyway, title: strings.useAnyway, role: .destructive),
                ScreenControl(.chooseAnother, title: strings.chooseAnother, role: .cancel),
            ]
        )
    }
}
