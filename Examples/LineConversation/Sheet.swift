public import LockScreens
public import Observation
internal import PortcullisCore

/// A place for a screen that is shown until it has ended, as an app's view has one for its sheets.
@MainActor
@Observable
public final class Sheet<Screen: ContentScreen> {
    /// The screen; `nil` while there is none.
    public var screen: ScreenPresenter<Screen>?

    /// A place without a screen.
    public init() {}
}
