public import LockScreens
public import PortcullisCore

/// The offer to set a passcode on first login: the create flow with "Set up later" (P-36).
///
/// Only success or skipping moves on; cancelling does nothing.
public struct FirstSetUpScreen: ContentScreen {
    /// What happens to it: what happens to the create flow inside.
    public typealias Event = SetPasscodeScreen.Event

    /// How it ended.
    public enum Ending: Sendable {
        /// A passcode is set.
        case saved(UnlockProof)
        /// The person wants to set it up later.
        case skipped
    }

    /// What it wants done.
    public enum Effect: Sendable {
        /// What the create flow wants done; never its own end.
        case inner(SetPasscodeScreen.Effect)
        /// Note that the person was asked, then move on.
        case finish(Ending)
    }

    private let strings: PasscodeStrings
    private var inner: SetPasscodeScreen
    private var isSkipping = false

    /// An offer before it appears.
    ///
    /// - Parameters:
    ///   - format: what the passcode looks like.
    ///   - weakPasscodes: what to do with easily guessed ones.
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

    /// The event of the create flow.
    public static func input(_ input: ScreenInput) -> Event { .input(input) }

    /// The create flow with "Set up later" in place of "Cancel".
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

    /// Only a tick of the create flow.
    public static func isWait(_ effect: Effect) -> Bool {
        if case .inner(.tick) = effect { true } else { false }
    }

    /// Takes an event.
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
