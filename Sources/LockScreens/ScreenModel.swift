public import PortcullisCore

/// A screen as a value. It provides the content to show. Handling an event changes the value and returns
/// effects.
///
/// A screen draws nothing, waits for nothing and reads no clock. Its driver, such as a ``ScreenPresenter``,
/// carries the effects out and sends their results back as events. Copies are independent of each other.
public protocol ScreenModel: Sendable {
    /// The type of the content that the screen shows at an instant.
    associatedtype Content: Sendable, Hashable
    /// An event of the screen: an input of the person, or the result of an effect.
    associatedtype Event: Sendable
    /// An effect that the screen asks its driver for.
    associatedtype Effect: Sendable

    /// The present content of the screen.
    var content: Content { get }

    /// Handles an event.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - moment: the moment of the event. A screen that measures no time ignores the moment.
    /// - Returns: the effects, in order.
    mutating func handle(_ event: Event, at moment: Moment) -> [Effect]

    /// Whether an effect only waits for time to pass. Such an effect may be dropped when the screen is
    /// closed.
    ///
    /// - Parameter effect: an effect of the screen.
    /// - Returns: `false` for an act, which runs to its end even if the screen is closed. By default all
    ///   effects are acts.
    static func isWait(_ effect: Effect) -> Bool
}

extension ScreenModel {
    /// By default every effect is an act.
    public static func isWait(_ effect: Effect) -> Bool { false }
}
