public import LockScreens
public import PortcullisCore

/// The screen that sets a new passcode with the recovery passphrase (H-2).
///
/// The screen asks for the passphrase first. Then it asks twice for the new passcode, as
/// ``SetPasscodeScreen`` does. The passphrase is checked at the end, together with the new passcode.
public struct RecoverPasscodeScreen: ContentScreen {
    /// How the screen ended.
    public enum Ending: Sendable {
        /// The new passcode is set. The app unlocks.
        case recovered(UnlockProof)
        /// The person left the screen. The old passcode stays.
        case cancelled
        /// The passcode was removed while the screen was shown.
        case over
    }

    /// An event for the screen.
    public enum Event: Sendable {
        /// The person used the screen.
        case input(ScreenInput)
        /// The passphrase was checked.
        case answered(PasscodeRecovery)
        /// The request failed. The old passcode stays.
        case failed(message: String)
        /// The app has locked again. Another person may hold the device now, so the screen drops all that was
        /// entered.
        case relocked
        /// A wait that the screen asked for is over.
        case tick
    }

    /// An effect that the screen asks its driver for.
    public enum Effect: Sendable {
        /// Set the new passcode with this passphrase. Answer with ``Event/answered(_:)``.
        case recover(passphrase: SecretBytes, to: SecretBytes)
        /// Send ``Event/tick`` after this time.
        case tick(after: Duration)
        /// Close the screen.
        case finish(Ending)
    }

    private let strings: PasscodeStrings
    private let format: PasscodeFormat
    private let weakPasscodes: WeakPasscodePolicy
    private var asksPassphrase = true
    private var passphrase = PassphraseEntry()
    private var error: String?
    private var shakes = 0
    /// Whether the app has locked again while a request was under way. If that request fails, the screen asks
    /// for the passphrase again.
    private var isRelocked = false
    private var isFinished = false
    /// The screen that asks for the new passcode.
    private var inner: SetPasscodeScreen

    /// Makes a screen in which nothing is entered yet.
    ///
    /// - Parameters:
    ///   - format: the format of the new passcode.
    ///   - weakPasscodes: the treatment of an easily guessed passcode.
    ///   - strings: the texts.
    public init(
        format: PasscodeFormat,
        weakPasscodes: WeakPasscodePolicy = .warn,
        strings: PasscodeStrings = .english
    ) {
        self.format = format
        self.weakPasscodes = weakPasscodes
        self.strings = strings
        inner = Self.inner(format, weakPasscodes, strings)
    }

    private static func inner(
        _ format: PasscodeFormat,
        _ weakPasscodes: WeakPasscodePolicy,
        _ strings: PasscodeStrings
    ) -> SetPasscodeScreen {
        SetPasscodeScreen(mode: .create, format: format, weakPasscodes: weakPasscodes, strings: strings)
    }

    /// Wraps an input in the event ``Event/input(_:)``.
    public static func input(_ input: ScreenInput) -> Event { .input(input) }

    /// All that the screen shows now.
    public var content: ScreenContent {
        guard asksPassphrase else {
            var content = inner.content
            content.title = strings.recoverTitle
            content.step = content.step.map { strings.step($0.number + 1, of: $0.count + 1) }
            content.shakes += shakes
            return content
        }
        return ScreenContent(
            title: strings.recoverTitle,
            symbol: "lock.shield.fill",
            prompt: strings.enterPassphrase,
            step: inner.content.step.map { strings.step(1, of: $0.count + 1) },
            entry: passphrase.content(strings),
            message: error.map { ScreenMessage(.error, $0) },
            shakes: shakes,
            controls: [
                passphrase.doneControl(strings),
                ScreenControl(.cancel, title: strings.cancel, role: .cancel),
            ]
        )
    }

    /// Whether an effect is a wait. Only a tick is a wait.
    public static func isWait(_ effect: Effect) -> Bool { if case .tick = effect { true } else { false } }

    /// Applies an event and returns the effects.
    public mutating func handle(_ event: Event, at moment: Moment) -> [Effect] {
        // The screen reports its end to the host once. Later events, such as a second press of the button or
        // a late result, have no effect.
        guard !isFinished else { return [] }
        let effects = effects(of: event, at: moment)
        isFinished = effects.contains { if case .finish = $0 { true } else { false } }
        return effects
    }

    private mutating func effects(of event: Event, at moment: Moment) -> [Effect] {
        switch event {
        case .input(.activate(.cancel)) where asksPassphrase:
            return [.finish(.cancelled)]
        case .input(let input) where asksPassphrase:
            let countBefore = passphrase.count
            switch passphrase.take(input) {
            case .open:
                if passphrase.count > countBefore { error = nil }
            case .complete:
                error = nil
                asksPassphrase = false
            case .tooLong:
                error = strings.text(.tooLong(maximum: PassphraseEntry.limit))
            }
            return []
        case .input(let input):
            return pass(.input(input), at: moment)
        case .answered(.recovered(let proof)):
            return pass(.saved(.right(proof)), at: moment)
        case .answered(.wrongPassphrase):
            shakes += 1
            beginAnew(saying: strings.wrongPassphrase)
            return []
        case .answered(.notSet):
            return [.finish(.over)]
        case .failed(let message):
            guard isRelocked else { return pass(.failed(message: message), at: moment) }
            beginAnew(saying: message)
            return []
        case .relocked:
            isRelocked = inner.content.isBusy
            if !isRelocked { beginAnew(saying: nil) }
            return []
        case .tick:
            return pass(.tick, at: moment)
        }
    }

    /// Asks for the passphrase again, and replaces the inner screen.
    ///
    /// ``ScreenContent/shakes`` must never fall, but a new inner screen counts from zero. So `shakes` keeps
    /// the count of the old inner screen.
    private mutating func beginAnew(saying message: String?) {
        shakes += inner.content.shakes
        isRelocked = false
        inner = Self.inner(format, weakPasscodes, strings)
        passphrase.clear()
        error = message
        asksPassphrase = true
    }

    /// Passes an event to the screen that asks for the new passcode.
    private mutating func pass(_ event: SetPasscodeScreen.Event, at moment: Moment) -> [Effect] {
        inner.handle(event, at: moment).compactMap { effect in
            switch effect {
            case .set(let new): .recover(passphrase: passphrase.typed, to: new)
            case .tick(let after): .tick(after: after)
            case .finish(.saved(let proof)): .finish(.recovered(proof))
            case .finish(.notSet): .finish(.cancelled)
            case .finish(.over): .finish(.over)
            // The inner screen creates a passcode. It never verifies or changes one.
            case .verify, .change: nil
            }
        }
    }
}
