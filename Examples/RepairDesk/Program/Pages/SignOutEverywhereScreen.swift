internal import LockScreens
internal import PasscodeLock
internal import PortcullisCore

/// Asks whether to sign out on every device, and follows what becomes of it.
///
/// The server is asked first: as long as sessions may go on elsewhere, this device keeps the one that can end them.
struct SignOutEverywhereScreen: ContentScreen {
    /// What happens to it.
    enum Event: Sendable {
        /// What the person did.
        case input(ScreenInput)
        /// What the server said to ``Effect/endSessions``; `nil`: all sessions have ended.
        case answered(PasscodeAccountError.Code?, retryAfter: Duration? = nil)
        /// Whether the session of this device still holds; `nil` where the server cannot be asked.
        case looked(isOpen: Bool?)
    }

    /// What it wants done.
    enum Effect: Sendable, Hashable {
        /// Have the server end all sessions; answered by ``Event/answered(_:retryAfter:)``.
        case endSessions
        /// Ask whether the session of this device still holds; answered by ``Event/looked(isOpen:)``.
        case look
        /// All sessions have ended: sign out on this device.
        case signOut
        /// The session of this device had ended before, and the others have not been asked to.
        case leave
        /// Close the screen.
        case finish
    }

    private let hasPasscode: Bool
    private var failure: String?
    private var isBusy = false
    /// A request was sent whose answer was lost.
    private var mayHaveEnded = false

    /// A screen that asks.
    ///
    /// - Parameter hasPasscode: whether there is a passcode on this device that signing out removes.
    init(hasPasscode: Bool) { self.hasPasscode = hasPasscode }

    /// ``Event/input(_:)``.
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

    /// Takes an event.
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
            // The request whose answer was lost has ended this session too.
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
