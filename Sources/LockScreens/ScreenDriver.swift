public import PortcullisCore

/// Drives a screen: it holds the value, sends it events, and has its effects carried out.
///
/// A driver belongs to the actor on which it is used. The host chooses it: the main actor for a user
/// interface, an actor for each session on a server. Effects are carried out on that actor, too.
///
/// While an act of the screen is under way, the driver stays alive even without a reference to it. The act's
/// result still reaches the screen.
public final class ScreenDriver<Screen: ScreenModel> {
    /// Carries an effect out and returns the event that answers it, if there is one.
    ///
    /// It may take long; the driver handles other events meanwhile. After ``dismiss()`` its answer is dropped.
    public typealias Perform = (Screen.Effect) async -> Screen.Event?

    /// The current screen.
    public private(set) var screen: Screen
    /// Called after each event that the screen has handled.
    public var changed: () -> Void = {}
    /// An object that each act keeps alive until the act has ended, such as the object that shows the screen.
    weak var owner: AnyObject?

    private let clock: any LockClock
    /// The closure for effects; `nil` after the dismissal. It usually refers to the host, which refers to this driver.
    private var perform: Perform?
    private var isDismissed = false
    private var following: Task<Void, Never>?

    /// Makes a driver of a screen.
    ///
    /// - Parameters:
    ///   - screen: the screen before its first event.
    ///   - clock: the clock that gives the moment of each event.
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

    /// All that the screen shows now.
    public var content: Screen.Content { screen.content }

    /// Sends an event to the screen.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - isolation: the actor to which the driver belongs.
    public func handle(_ event: Screen.Event, isolation: isolated any Actor = #isolation) {
        guard !isDismissed else { return }
        for effect in screen.handle(event, at: clock.now) { start(effect, isolation) }
        changed()
    }

    /// Sends a stream's values to the screen as events, in order, until the screen is dismissed.
    ///
    /// - Parameters:
    ///   - values: makes the stream. It replaces the stream that was followed before.
    ///   - event: makes the event of a value.
    ///   - isolation: the actor to which the driver belongs.
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

    /// Ends the driver when the screen is closed. Acts under way run to their end, but no longer change the screen.
    ///
    /// Acts are not cancelled: if a passcode was counted but not checked, it would stay a failure.
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
