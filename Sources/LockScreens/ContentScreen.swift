/// A screen whose content is a ``ScreenContent`` and which accepts ``ScreenInput``. Every renderer of these
/// two types can show the screen.
public protocol ContentScreen: ScreenModel where Content == ScreenContent {
    /// Wraps an input in an event of the screen.
    static func input(_ input: ScreenInput) -> Event
}

extension ScreenPresenter where Screen: ContentScreen {
    /// Sends an input to the screen.
    public func send(_ input: ScreenInput) { handle(Screen.input(input)) }
}
