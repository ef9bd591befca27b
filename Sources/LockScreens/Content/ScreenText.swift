/// A text to be read on a screen.
public enum ScreenText: Sendable, Hashable, Codable {
    /// A paragraph.
    case paragraph(String)
    /// A paragraph that explains and may stand back.
    case note(String)
    /// Lines of a list.
    case items([String])
}
