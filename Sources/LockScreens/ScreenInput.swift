public import PortcullisCore

/// An input of a person on a screen.
///
/// While ``ScreenContent/alert`` is shown, the screen accepts only the alert's actions. Input that does not
/// fit the screen's state is ignored.
public enum ScreenInput: Sendable {
    /// A digit key, 0 to 9.
    case digit(Int)
    /// A character typed into a text field.
    case character(Unicode.Scalar)
    /// The whole text of a toolkit's text field. It replaces the text typed before.
    case text(SecretBytes)
    /// The delete key.
    case delete
    /// The Return key or Done.
    case submit
    /// A control of the screen or an action of its alert.
    case activate(ControlID)
    /// An option of a choice, by its index.
    case choose(ControlID, Int)
    /// The whole text of the search field. It replaces the text typed before.
    case search(String)
    /// The request to turn the card at this index, from 0 on, to the front.
    case show(Int)
}
