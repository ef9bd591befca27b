public import PortcullisCore

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
    /// The whole text that narrows a list, in place of the one before.
    case search(String)
    /// The card at this place, from 0 on.
    case show(Int)
}
