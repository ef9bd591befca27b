public import PortcullisCore

/// Drives a screen: holds the value, hands it events, and has its effects carried out.
///
/// A driver belongs to the actor on which it is used, which the host chooses: the main actor for a user interface, an
/// actor for each session on a server. Effects are carried out on that actor, too.
///
/// While an act of the screen is under way the driver lives, also when no other object holds a reference to it: the
/// act's result still reaches the screen.
public final class ScreenDriver<Screen: ScreenModel> {
    /// Carries an effect out and returns the event that answers it, if there is one.
    ///
    /// It may take its time; other events are handled meanwhile. After ``dismiss()`` its answer is dropped.
    public typealias Perform = (Screen.Effect) async -> Screen.Event?

    /// The screen as it is now.
    public private(set) var screen: Screen
    /// Called after each event that the screen has taken.
    public var changed: () -> Void = {}
    /// Lives as long as an act is under way, such as the object that shows the screen.
    weak var owner: AnyObject?

    private let clock: any LockClock
    /// `nil` once the screen is gone: it mostly knows the host, which knows this driver.
    private var perform: Perform?
    private var isDismissed = false
    private var following: Task<Void, Never>?

    /// A driver of a screen.
    ///
    /// - Parameters:
    ///   - screen: the screen before its first event.
    ///   - clock: tells the moment of each event.
    ///   - perform: carries effects out.
    public init(
        _ screen: Screen,
        clock: any LockClock,
        perform: @escaping (Screen.Effect) async -> Screen.Event?
    ) {
        self.screen = screen
        self.clock = clock
        self.perform = perform
    }

    deinit { following?.cancel() }

    /// All that is to be shown now.
    public var content: Screen.Content { screen.content }

    /// Hands over an event.
    ///
    /// - Parameters:
    ///   - event: what happened.
    ///   - isolation: the actor that the driver belongs to.
    public func handle(_ event: Screen.Event, isolation: isolated any Actor = #isolation) {
        guard !isDismissed else { return }
        for effect in screen.handle(event, at: clock.now) { start(effect, isolation) }
        changed()
    }

    /// Hands over what a service tells, in order, as long as the screen is there.
    ///
    /// - Parameters:
    ///   - values: where they come from; what was followed before is not any more.
    ///   - event: the event that a value is to the screen.
    ///   - isolation: the actor that the driver belongs to.
    public func follow<Value: Sendable>(
        _ values: @escaping @Sendable () async -> AsyncStream<Value>,
        as event: @escaping (Value) -> Screen.Event,
        isolation: isolated any Actor = #isolation
    ) {
        following?.cancel()
        guard !isDismissed else { return }
        following = Task { [weak self] in
            _ = isolation
            for await value in await values() { self?.handle(event(value)) }
        }
    }

    /// The screen is gone: what still runs comes to its end and changes nothing on it any more.
    ///
    /// It is not cancelled: a passcode that was counted and then not looked at would stay a failure.
    public func dismiss() {
        isDismissed = true
        following?.cancel()
        perform = nil
        changed = {}
    }

    private func start(_ effect: Screen.Effect, _ isolation: isolated any Actor) {
        guard let perform else { return }
        guard Screen.isWait(effect) else {
            Task { [owner, perform] in
                _ = isolation
                if let answer = await perform(effect) { handle(answer) }
                withExtendedLifetime(owner) {}
            }
            return
        }
        Task { [perform, weak self] in
            _ = isolation
            if let answer = await perform(effect) { self?.handle(answer) }
        }
    }
}

@available(*, unavailable, message: "a driver belongs to one actor")
extension ScreenDriver: Sendable {}
