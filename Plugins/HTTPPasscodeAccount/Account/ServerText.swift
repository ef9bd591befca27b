internal import PortcullisCore

/// Text that a server wrote for people.
///
/// An answer may hold as much as the transport takes in; a screen that is to show all of it shows nothing else, and a
/// device that keeps it has less room.
public enum ServerText: Sendable {
    /// The most characters that are shown.
    private static let length = 200

    /// The beginning of a text as one line, without anything that a terminal would obey (`ForeignText`).
    ///
    /// - Parameter text: such as the `detail` of a problem document (RFC 9457).
    /// - Returns: at most 200 characters; `nil` when there is nothing to be shown.
    public static func line(_ text: String) -> String? {
        let line = String(ForeignText.line(String(text.prefix(length))).prefix(length))
        return line.isEmpty ? nil : line
    }
}
