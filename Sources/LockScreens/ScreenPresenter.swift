public import Observation
public import PortcullisCore

/// The observable form of a ``ScreenDriver`` on the main actor. It binds a screen to a user interface.
///
/// An act is an effect that does more than wait. While an act of the screen is under way, the presenter stays
/// alive even without a reference to it, so that the act's result reaches the screen.
@MainActor
@Observable
public final class ScreenPresenter<Screen: ScreenModel> {
    /// The current screen.
    public private(set) var screen: Screen

    @ObservationIgnored private let driver: ScreenDriver<Screen>

    /// Makes the presenter of a driver. A driver can have only one presenter.
    ///
    /// The presenter sets ``ScreenDriver/changed``. A closure that was set there before is still called,
    /// after the presenter has the new screen.
    public init(_ driver: ScreenDriver<Screen>) {
        screen = driver.screen
        self.driver = driver
        driver.owner = self
        let told = driver.changed
        driver.changed = { [weak self, unowned driver] in
            self?.screen = driver.screen
            told()
        }
    }

    /// Makes a presenter of a screen.
    ///
    /// - Parameters:
    ///   - screen: the screen before its first event.
    ///   - clock: the clock that gives the moment of each event.
    ///   - perform: carries an effect out and returns the event with the result, if there is one. The call
    ///     may take long. Other events are handled meanwhile. A result after ``dismiss()`` is ignored.
    public convenience init(
        _ screen: Screen,
        clock: any LockClock,
        perform: @escaping @MainActor (Screen.Effect) async -> Screen.Event?
    ) {
        self.init(ScreenDriver(screen, clock: clock, perform: perform))
    }

    /// The present content of the screen.
    public var content: Screen.Content { screen.content }

    /// Sends an event to the screen.
    public func handle(_ event: Screen.Event) { driver.handle(event) }

    /// Sends a stream's values to the screen as events, in order, until the screen is dismissed.
    ///
    /// - Parameters:
    ///   - values: makes the stream. The presenter follows one stream at a time, so the new stream replaces
    ///     the earlier stream.
    ///   - event: makes the event of a value.
    public func follow<Value: Sendable>(
        _ values: @escaping @Sendable () async -> AsyncStream<Value>,
        as event: @escaping @MainActor (Value) -> Screen.Event
    ) {
        driver.follow(values, as: event)
    }

    /// Ends the presenter. The host calls this method when the screen is closed. Acts under way run to their
    /// end, but no longer change the screen.
    ///
    /// Acts are not cancelled. Otherwise a passcode attempt that was counted but not checked would remain
    /// counted as a failure.
    public func dismiss() { driver.dismiss() }
}
