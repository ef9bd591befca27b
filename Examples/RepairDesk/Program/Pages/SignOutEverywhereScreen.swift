internal import LockScreens
internal import PasscodeLock
internal import PortcullisCore

/// Asks whether to sign out on every device, and follows the outcome.
///
/// The server is asked first. While other sessions may be open, this device keeps its own, which can end
/// them.
struct SignOutEverywhereScreen: ContentScreen {
    /// An event of the screen.
    enum Event: Sendable {
        /// An input of the person.
        case input(ScreenInput)
        /// The server's answer to ``Effect/endSessions``; `nil` if all sessions have ended.
        case answered(PasscodeAccountError.Code?, retryAfter: Duration? = nil)
        /// Whether the session of this device is still open; `nil` if the server cannot be asked.
        case looked(isOpen: Bool?)
    }

    /// An effect that the screen requests.
    enum Effect: Sendable, Hashable {
        /// Have the server end all sessions; answered by ``Event/answered(_:retryAfter:)``.
        case endSessions
        /// Ask whether the session of this device is still open; answered by ``Event/looked(isOpen:)``.
        case look
        /// All sessions have ended: sign out on this device.
        case signOut
        /// The session of this device had ended before, so the other sessions could not be ended.
        case leave
        /// Close the screen.
        case finish
    }

    private let hasPasscode: Bool
    private var failure: String?
    private var isBusy = false
    /// Whether the answer to a request was lost.
    private var mayHaveEnded = false

    /// Makes the screen with the question.
    ///
    /// - Parameter hasPasscode: whether there is a passcode on this device that signing out removes.
    init(hasPasscode: Bool) { self.hasPasscode = hasPasscode }

    /// Makes the event of an input.
    static func input(_ input: ScreenInput) -> Event { .input(input) }

    /// All that is to be shown now.
    var content: ScreenContent {
        var content = ScreenContent(title: Self.title, symbol: "lock.shield.fill", isBusy: isBusy)
        if isBusy {
            content.prompt = "Signing out."
        } else {
            content.alert = ScreenAlert(
                title: "\(Self.title)?",
                text: failure ?? question,
                actions: [
                    ScreenControl(.cancel, title: "Cancel", role: .cancel),
                    ScreenControl(
                        .logOutEverywhere,
                        title: failure == nil ? "Sign Out" : "Try Again",
                        role: .destructive
                    ),
                ]
            )
        }
        return content
    }

    private var question: String {
        "You will need to sign in again on every device."
            + (hasPasscode ? " Your passcode will be removed from this one." : "")
    }

    /// Handles an event.
    mutating func handle(_ event: Event, at moment: Moment) -> [Effect] {
        switch event {
        case .input(.activate(.cancel)) where !isBusy:
            return [.finish]
        case .input(.activate(.logOutEverywhere)) where !isBusy:
            isBusy = true
            return [.endSessions]
        case .input:
            return []
        case .answered(nil, _):
            return [.signOut]
        case .answered(.notSignedIn, _):
            // If an earlier answer was lost, that request has ended this session too.
            return [mayHaveEnded ? .signOut : .leave]
        case .answered(.outcomeUnknown, _):
            mayHaveEnded = true
            return [.look]
        case .answered(let code?, let retryAfter):
            fail(Self.text(code, retryAfter))
            return []
        case .looked(isOpen: false):
            return [.signOut]
        case .looked:
            fail("No answer came. Your other devices may be signed out, or not.")
            return []
        }
    }

    private mutating func fail(_ text: String) { (failure, isBusy) = (text, false) }

    private static let title = "Sign Out Everywhere"

    private static func text(_ code: PasscodeAccountError.Code, _ retryAfter: Duration?) -> String {
        let cause = PasscodeAccountError(code: code, message: "\(code)", retryAfter: retryAfter)
        let error = PasscodeError(code: .account, message: cause.message, cause: cause)
        return "\(PasscodeStrings.english.text(error)) You are still signed in everywhere."
    }
}
