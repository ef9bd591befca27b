public import PortcullisCore

/// A screen as a value: what it shows, and what an event changes and asks to be done.
///
/// It draws nothing, waits for nothing and knows no clock: whoever drives it carries the effects out and hands
/// their results back as events. Copies are independent of each other.
public protocol ScreenModel: Sendable {
    /// What happens to the screen: input and the results of effects.
    associatedtype Event: Sendable
    /// What the screen wants done.
    associatedtype Effect: Sendable

    /// All that is to be shown now.
    var content: ScreenContent { get }

    /// The event for what a person did.
    static func input(_ input: ScreenInput) -> Event

    /// Takes an event.
    ///
    /// - Parameters:
    ///   - event: what happened.
    ///   - moment: when.
    /// - Returns: what is to be done now, in order.
    mutating func handle(_ event: Event, at moment: Moment) -> [Effect]
}

/// What a person can do on any screen.
///
/// While ``ScreenContent/alert`` is shown only its actions count; input that does not fit the screen's present
/// state is ignored.
public enum ScreenInput: Sendable {
    /// A digit key, 0 to 9.
    case digit(Int)
    /// A character typed into a text field.
    case character(Unicode.Scalar)
    /// The whole content of a toolkit's text field, in place of what was typed before.
    case text(SecretBytes)
    /// The delete key.
    case delete
    /// Return, or Done.
    case submit
    /// A control of the screen or an action of its alert.
    case activate(ControlID)
    /// One of the options of a choice, by its place.
    case choose(ControlID, Int)
}
