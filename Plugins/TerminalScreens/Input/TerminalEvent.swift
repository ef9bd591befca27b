/// One thing that came from a terminal.
public enum TerminalEvent: Sendable, Hashable {
    /// A printable character was typed.
    case character(Unicode.Scalar)
    /// A printable character of a pasted text.
    case pasted(Unicode.Scalar)
    /// A named key was pressed.
    case key(Key)
    /// A control key was pressed, by the character it is held with: `c` for Ctrl-C, `]` for Ctrl-].
    case control(Unicode.Scalar)
    /// A mouse button was pressed.
    case press(button: Int, x: Int, y: Int)
    /// The terminal's window gained or lost the focus.
    case focus(Bool)
    /// Something complete that means nothing here: a terminal's reply, a released button, an unknown key.
    case ignored

    /// A key that has a name.
    public enum Key: Sendable, Hashable {
        /// Return, also on the keypad.
        case enter
        /// Backspace or Delete.
        case delete
        /// Tab.
        case tab
        /// Shift-Tab.
        case backTab
        /// Esc.
        case escape
        /// Arrow up.
        case up
        /// Arrow down.
        case down
        /// Arrow left.
        case left
        /// Arrow right.
        case right
        /// Page up.
        case pageUp
        /// Page down.
        case pageDown
        /// To the beginning.
        case home
        /// To the end.
        case end
    }
}
