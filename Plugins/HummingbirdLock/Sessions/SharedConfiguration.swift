#if HummingbirdLock

/// A lock's configuration, shared by its gates and sessions.
///
/// The configuration holds all texts and takes several kilobytes. Each copy in a session or in the frame of a
/// request's task would need that memory again. So sessions and requests read single parts of `value`, and do
/// not copy the whole configuration.
final class SharedConfiguration: Sendable {
    let value: WebLockConfiguration
    /// The cookie's name. If the site is served over TLS, the name has the prefix `__Host-`. Browsers refuse
    /// a cookie with this prefix from another host or from a page without TLS.
    let cookieName: String

    init(_ value: WebLockConfiguration) {
        self.value = value
        cookieName = value.isSecure ? "__Host-portcullis" : "portcullis"
    }

    /// Whether a path needs no session. A path that a server might read as another path always needs a
    /// session.
    func isOpen(_ path: String) -> Bool {
        if path == value.signIn { return true }
        guard value.open.contains(where: { $0.hasSuffix("/") ? path.hasPrefix($0) : path == $0 }) else {
            return false
        }
        return !path.contains("/.") && !path.contains("//")
            && !path.utf8.contains { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "\\") }
    }
}
#endif
