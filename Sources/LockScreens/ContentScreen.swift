/// A screen with a ``ScreenContent`` and ``ScreenInput``. Any renderer of these two can show it.
public protocol ContentScreen: ScreenModel where Content == ScreenContent {
    /// Makes the event of an input.
    static func input(_ input: ScreenInput) -> Event
}

extension ScreenPresenter where Screen: ContentScreen {
    /// Sends an input to the screen.
    public func send(_ input: ScreenInput) { handle(Screen.input(input)) }
}
