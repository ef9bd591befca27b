public import Observation

/// Binds a screen to a user interface: holds the value, hands it events, and has its effects carried out.
///
/// While an act of the screen is under way the presenter lives, also when no other object holds a reference
/// to it: the act's result still reaches the screen.
@MainActor
@Observable
public final class ScreenPresenter<Screen: ScreenModel> {
    /// The screen as it is now.
    public private(set) var screen: Screen

    @ObservationIgnored private let clock: any LockClock
    @ObservationIgnored private let perform: @MainActor (Screen.Effect) async -> Screen.Event?
    @ObservationIgnored private var isDismissed = false
    @ObservationIgnored private var following: Task<Void, Never>?

    /// A presenter of a screen.
    ///
    /// - Parameters:
    ///   - screen: the screen before its first event.
    ///   - clock: tells the moment of each event.
    ///   - perform: carries an effect out and returns the event that answers it, if there is one. It may take
    ///     its time; other events are handled meanwhile. After ``dismiss()`` its answer is dropped.
    public init(
        _ screen: Screen,
        clock: any LockClock,
        perform: @escaping @MainActor (Screen.Effect) async -> Screen.Event?
    ) {
        self.screen = screen
        self.clock = clock
        self.perform = perform
    }

    deinit { following?.cancel() }

    /// All that is to be shown now.
    public var content: Screen.Content { screen.content }

    /// Hands over an event.
    public func handle(_ event: Screen.Event) {
        guard !isDismissed else { return }
        for effect in screen.handle(event, at: clock.now) { start(effect) }
    }

    /// Hands over what a service tells, in order, as long as the screen is there.
    ///
    /// - Parameters:
    ///   - values: where they come from; what was followed before is not any more.
    ///   - event: the event that a value is to the screen.
    public func follow<Value: Sendable>(
        _ values: @escaping @Sendable () async -> AsyncStream<Value>,
        as event: @escaping @MainActor (Value) -> Screen.Event
    ) {
        following?.cancel()
        guard !isDismissed else { return }
        following = Task { [weak self] in
            for await value in await values() { self?.handle(event(value)) }
        }
    }

    /// The screen is gone: what still runs comes to its end and changes nothing on it any more.
    ///
    /// It is not cancelled: a passcode that was counted and then not looked at would stay a failure.
    public func dismiss() {
        isDismissed = true
        following?.cancel()
    }

    private func start(_ effect: Screen.Effect) {
        guard Screen.isWait(effect) else {
            Task {
                if let answer = await perform(effect) { handle(answer) }
            }
            return
        }
        Task { [perform, weak self] in
            if let answer = await perform(effect) { self?.handle(answer) }
        }
    }
}
