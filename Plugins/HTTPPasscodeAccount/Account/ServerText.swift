internal import PortcullisCore

/// Shortens text that a server wrote for people.
///
/// Without a limit, a text could fill a whole screen or too much of a device's storage.
public enum ServerText: Sendable {
    /// The largest number of characters that are shown.
    private static let length = 200

    /// Returns the beginning of a text as one line. `ForeignText` replaces the control characters that a
    /// terminal would obey.
    ///
    /// - Parameter text: a server's text, such as the `detail` of a problem document (RFC 9457).
    /// - Returns: at most 200 characters; `nil` if no character is left.
    public static func line(_ text: String) -> String? {
        let line = String(ForeignText.line(String(text.prefix(length))).prefix(length))
        return line.isEmpty ? nil : line
    }
}
