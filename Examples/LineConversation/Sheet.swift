public import LockScreens
public import Observation
internal import PortcullisCore

/// Holds a screen until the screen has ended, as an app's view does for its sheets.
@MainActor
@Observable
public final class Sheet<Screen: ContentScreen> {
    /// The screen; `nil` while there is none.
    public var screen: ScreenPresenter<Screen>?

    /// A place without a screen.
    public init() {}
}
