public import Observation

/// A screen of the goal lock as a value: what it shows, and what an event changes and asks to be done.
///
/// It draws nothing and waits for nothing: whoever drives it carries the effects out and hands their results back as
/// events. An answer carries the generation of the request it belongs to; one that was overtaken is ignored.
public protocol GoalScreen: Sendable {
    /// All that is to be shown at an instant.
    associatedtype Content: Sendable, Hashable
    /// What happens to the screen: what the person does, and the results of effects.
    associatedtype Event: Sendable
    /// What the screen wants done.
    associatedtype Effect: Sendable

    /// All that is to be shown now.
    var content: Content { get }

    /// Takes an event.
    ///
    /// - Returns: what is to be done now, in order.
    mutating func handle(_ event: Event) -> [Effect]
}

/// Binds a screen to a user interface: holds the value, hands it events, and has its effects carried out.
@MainActor
@Observable
public final class GoalScreenPresenter<Screen: GoalScreen> {
    /// The screen as it is now.
    public private(set) var screen: Screen

    @ObservationIgnored private let perform: @MainActor (Screen.Effect) async -> Screen.Event?
    @ObservationIgnored private var isDismissed = false
    @ObservationIgnored private var following: Task<Void, Never>?

    /// A presenter of a screen.
    ///
    /// - Parameters:
    ///   - screen: the screen before its first event.
    ///   - perform: carries an effect out and returns the event that answers it, if there is one. It may take its
    ///     time; other events are handled meanwhile. After ``dismiss()`` its answer is dropped.
    public init(
        _ screen: Screen,
        perform: @escaping @MainActor (Screen.Effect) async -> Screen.Event?
    ) {
        self.screen = screen
        self.perform = perform
    }

    isolated deinit { following?.cancel() }

    /// All that is to be shown now.
    public var content: Screen.Content { screen.content }

    /// Hands over an event.
    public func handle(_ event: Screen.Event) {
        guard !isDismissed else { return }
        for effect in screen.handle(event) {
            Task { [perform, weak self] in
                if let answer = await perform(effect) { self?.handle(answer) }
            }
        }
    }

    /// The screen is gone: what still runs comes to its end and changes nothing on it any more.
    public func dismiss() {
        isDismissed = true
        following?.cancel()
    }

    /// Hands over what a service tells as long as the screen is there.
    func follow<Value: Sendable>(
        _ values: @escaping @Sendable () async -> AsyncStream<Value>,
        as event: @escaping @MainActor (Value) -> Screen.Event
    ) {
        following = Task { [weak self] in
            for await value in await values() { self?.handle(event(value)) }
        }
    }
}
