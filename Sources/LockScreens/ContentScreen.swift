/// A screen with a ``ScreenContent`` and ``ScreenInput``. Every renderer of these two types can show it.
public protocol ContentScreen: ScreenModel where Content == ScreenContent {
    /// Makes the event of an input.
    static func input(_ input: ScreenInput) -> Event
}

extension ScreenPresenter where Screen: ContentScreen {
    /// Sends an input to the screen.
    public func send(_ input: ScreenInput) { handle(Screen.input(input)) }
}
