public import Observation
public import PortcullisCore

/// The observable face of a ``ScreenDriver`` on the main actor: binds a screen to a user interface.
///
/// While an act of the screen is under way the presenter lives, also when no other object holds a reference
/// to it: the act's result still reaches the screen.
@MainActor
@Observable
public final class ScreenPresenter<Screen: ScreenModel> {
    /// The screen as it is now.
    public private(set) var screen: Screen

    @ObservationIgnored private let driver: ScreenDriver<Screen>

    /// The face of a driver; each driver has one.
    public init(_ driver: ScreenDriver<Screen>) {
        screen = driver.screen
        self.driver = driver
        driver.owner = self
        driver.changed = { [weak self, unowned driver] in self?.screen = driver.screen }
    }

    /// A presenter of a screen.
    ///
    /// - Parameters:
    ///   - screen: the screen before its first event.
    ///   - clock: tells the moment of each event.
    ///   - perform: carries an effect out and returns the event that answers it, if there is one. It may take
    ///     its time; other events are handled meanwhile. After ``dismiss()`` its answer is dropped.
    public convenience init(
        _ screen: Screen,
        clock: any LockClock,
        perform: @escaping @MainActor (Screen.Effect) async -> Screen.Event?
    ) {
        self.init(ScreenDriver(screen, clock: clock, perform: perform))
    }

    /// All that is to be shown now.
    public var content: Screen.Content { screen.content }

    /// Hands over an event.
    public func handle(_ event: Screen.Event) { driver.handle(event) }

    /// Hands over what a service tells, in order, as long as the screen is there.
    ///
    /// - Parameters:
    ///   - values: where they come from; what was followed before is not any more.
    ///   - event: the event that a value is to the screen.
    public func follow<Value: Sendable>(
        _ values: @escaping @Sendable () async -> AsyncStream<Value>,
        as event: @escaping @MainActor (Value) -> Screen.Event
    ) {
        driver.follow(values, as: event)
    }

    /// The screen is gone: what still runs comes to its end and changes nothing on it any more.
    ///
    /// It is not cancelled: a passcode that was counted and then not looked at would stay a failure.
    public func dismiss() { driver.dismiss() }
}
