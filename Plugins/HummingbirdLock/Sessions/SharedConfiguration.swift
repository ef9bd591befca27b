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
    /// The time without a report of a page after which a person counts as absent.
    let heartbeat: Duration

    init(_ value: WebLockConfiguration) {
        self.value = value
        // A visible page reports every three seconds. A shorter time would end between two reports, and one
        // that is hardly longer would end when a report is late.
        heartbeat = max(value.heartbeat, .seconds(5))
        cookieName = value.isSecure ? "__Host-portcullis" : "portcullis"
    }

    /// Whether a path needs no session. A path that a server might read as another path always needs a
    /// session.
    func isOpen(_ path: String) -> Bool {
        // Bytes are compared, not characters. Swift treats a slash and a combining mark after it as one
        // character, and it treats some texts of different bytes as equal.
        let path = Array(path.utf8)
        let (slash, dot) = (UInt8(ascii: "/"), UInt8(ascii: "."))
        if path.elementsEqual(value.signIn.utf8) { return true }
        let isListed = value.open.contains { open in
            open.utf8.last == slash ? path.starts(with: open.utf8) : path.elementsEqual(open.utf8)
        }
        guard isListed else { return false }
        return !zip(path, path.dropFirst()).contains { $0 == slash && ($1 == dot || $1 == slash) }
            && !path.contains { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "\\") }
    }
}
#endif
