/// A screen that shows a ``ScreenContent`` and takes ``ScreenInput``: any renderer of those can show it.
public protocol ContentScreen: ScreenModel where Content == ScreenContent {
    /// The event for what a person did.
    static func input(_ input: ScreenInput) -> Event
}

extension ScreenPresenter where Screen: ContentScreen {
    /// Hands over what the person did.
    public func send(_ input: ScreenInput) { handle(Screen.input(input)) }
}
