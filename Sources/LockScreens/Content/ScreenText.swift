/// A text on a screen for the person to read.
public enum ScreenText: Sendable, Hashable, Codable {
    /// A paragraph.
    case paragraph(String)
    /// A paragraph with an explanation. A renderer may make it less prominent.
    case note(String)
    /// The lines of a list.
    case items([String])
}
