public import LockScreens
public import PortcullisCore

/// The screen that offers to set a passcode after the first login (P-36). It shows the create flow, which is
/// a ``SetPasscodeScreen`` in the mode ``SetPasscodeScreen/Mode/create``, with a button "Set up later".
///
/// The screen ends only when a passcode is saved or the person skips the offer. Cancel does nothing.
public struct FirstSetUpScreen: ContentScreen {
    /// An event of the create flow inside this screen.
    public typealias Event = SetPasscodeScreen.Event

    /// How the screen ended.
    public enum Ending: Sendable {
        /// A passcode is set.
        case saved(UnlockProof)
        /// The person wants to set a passcode later.
        case skipped
    }

    /// An effect that the screen asks its driver for.
    public enum Effect: Sendable {
        /// An effect of the create flow, except the effect that ends the flow.
        case inner(SetPasscodeScreen.Effect)
        /// Record that the person was asked, then close the screen.
        case finish(Ending)
    }

    private let strings: PasscodeStrings
    private var inner: SetPasscodeScreen
    private var isSkipping = false

    /// Makes the screen that offers to set a passcode, in its state before it appears.
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
        self.strings = strings
        self.inner = SetPasscodeScreen(
            mode: .create,
            format: format,
            weakPasscodes: weakPasscodes,
            strings: strings
        )
    }

    /// Wraps an input in an event of the create flow.
    public static func input(_ input: ScreenInput) -> Event { .input(input) }

    /// The content of the create flow, with "Set up later" in place of "Cancel".
    public var content: ScreenContent {
        var content = inner.content
        content.controls.removeAll { $0.id == .cancel }
        if isSkipping {
            content.isBusy = true
            content.pad?.isEnabled = false
            for index in content.controls.indices { content.controls[index].isEnabled = false }
        }
        content.controls.append(
            ScreenControl(.setUpLater, title: strings.setUpLater, isEnabled: !content.isBusy)
        )
        return content
    }

    /// Whether an effect is a wait. Only a tick of the create flow is a wait.
    public static func isWait(_ effect: Effect) -> Bool {
        if case .inner(.tick) = effect { true } else { false }
    }

    /// Applies an event and returns the effects.
    public mutating func handle(_ event: Event, at moment: Moment) -> [Effect] {
        switch event {
        case .input where isSkipping, .input(.activate(.cancel)):
            return []
        case .input(.activate(.setUpLater)):
            guard !inner.content.isBusy, inner.content.alert == nil else { return [] }
            isSkipping = true
            return [.finish(.skipped)]
        case .failed:
            isSkipping = false
        default:
            break
        }
        return inner.handle(event, at: moment).map { effect in
            if case .finish(.saved(let proof)) = effect { return .finish(.saved(proof)) }
            return .inner(effect)
        }
    }
}
