/// One event from a terminal.
public enum TerminalEvent: Sendable, Hashable {
    /// A printable character was typed.
    case character(Unicode.Scalar)
    /// A printable character of a pasted text.
    case pasted(Unicode.Scalar)
    /// A named key was pressed.
    case key(Key)
    /// A key was pressed with Ctrl. The value is the character of that key: `c` for Ctrl-C, `]` for Ctrl-].
    case control(Unicode.Scalar)
    /// A mouse button was pressed.
    case press(button: Int, x: Int, y: Int)
    /// The terminal's window gained or lost the focus.
    case focus(Bool)
    /// Complete input without a meaning: a terminal's reply, a released button, an unknown key.
    case ignored

    /// A named key.
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
        /// Home.
        case home
        /// End.
        case end
    }
}
