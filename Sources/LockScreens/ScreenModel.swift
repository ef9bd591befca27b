public import PortcullisCore

/// A screen as a value: what it shows, and what an event changes and asks to be done.
///
/// It draws nothing, waits for nothing and knows no clock: its driver, such as a ``ScreenPresenter``, carries
/// the effects out and hands their results back as events. Copies are independent of each other.
public protocol ScreenModel: Sendable {
    /// All that is to be shown at an instant, in words and numbers.
    associatedtype Content: Sendable, Hashable
    /// What happens to the screen: what the person does, and the results of effects.
    associatedtype Event: Sendable
    /// What the screen wants done.
    associatedtype Effect: Sendable

    /// All that is to be shown now.
    var content: Content { get }

    /// Takes an event.
    ///
    /// - Parameters:
    ///   - event: what happened.
    ///   - moment: when; a screen without a count of time passes it by.
    /// - Returns: what is to be done now, in order.
    mutating func handle(_ event: Event, at moment: Moment) -> [Effect]

    /// Whether an effect only waits for time to pass, so that nothing is lost when the screen is gone meanwhile.
    ///
    /// - Parameter effect: one of the screen's.
    /// - Returns: `false` for an act, which the screen lives to see the end of; unless said otherwise all are acts.
    static func isWait(_ effect: Effect) -> Bool
}

extension ScreenModel {
    /// Every effect is an act.
    public static func isWait(_ effect: Effect) -> Bool { false }
}
