public import Observation
public import PasscodeLock
public import PortcullisCore

/// A place for a screen that is shown until it has ended, as an app's view has one for its sheets.
@MainActor
@Observable
public final class Sheet<Screen: PasscodeScreen> {
    /// The screen; `nil` while there is none.
    public var screen: ScreenPresenter<Screen>?

    /// A place without a screen.
    public init() {}
}
