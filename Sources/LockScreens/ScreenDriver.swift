public import PortcullisCore

/// Runs a screen. The driver holds the screen, sends events to it, and lets the host carry out the screen's
/// effects.
///
/// A driver belongs to the actor on which it is used. The host chooses the actor: the main actor for a user
/// interface, an actor for each session on a server. Effects are carried out on that actor, too.
///
/// An act is an effect that does more than wait. While an act of the screen is under way, the driver stays
/// alive even without a reference to it, so that the act's result reaches the screen.
public final class ScreenDriver<Screen: ScreenModel> {
    /// Carries an effect out. Returns the event with the result, if there is one.
    ///
    /// The call may take long. The driver handles other events meanwhile. A result after ``dismiss()`` is
    /// ignored.
    public typealias Perform = (Screen.Effect) async -> Screen.Event?

    /// The current screen.
    public private(set) var screen: Screen
    /// Called after each event that the screen has handled.
    public var changed: () -> Void = {}
    /// The object that shows the screen. The driver's reference to this object is weak. While an act is under
    /// way, the act keeps the object alive.
    weak var owner: AnyObject?

    private let clock: any LockClock
    /// The closure for effects; `nil` after the dismissal. The closure usually refers to the host, and the
    /// host refers to this driver. Without the dismissal, the host and the driver would keep each other in
    /// memory.
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

    /// The present content of the screen.
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
    ///   - values: makes the stream. The driver follows one stream at a time, so the new stream replaces the
    ///     earlier stream.
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

    /// Ends the driver. The host calls this method when the screen is closed. Acts under way run to their
    /// end, but no longer change the screen.
    ///
    /// Acts are not cancelled. Otherwise a passcode attempt that was counted but not checked would remain
    /// counted as a failure.
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
