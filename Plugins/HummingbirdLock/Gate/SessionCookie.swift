#if HummingbirdLock
internal import HTTPTypes

/// Reads the session's cookie from a request (RFC 6265, section 4.2).
///
/// The lock needs only this one cookie of a request. So the other cookies are skipped byte by byte, and no
/// strings are made of them.
enum SessionCookie {
    /// Returns the value of the first cookie with this name; `nil` if the request has none.
    static func value(of name: String, in fields: HTTPFields) -> String? {
        for field in fields where field.name == .cookie {
            for pair in field.value.utf8.split(separator: UInt8(ascii: ";")) {
                let pair = pair.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
                guard pair.starts(with: name.utf8) else { continue }
                let rest = pair.dropFirst(name.utf8.count)
                if rest.first == UInt8(ascii: "=") { return String(Substring(rest.dropFirst())) }
            }
        }
        return nil
    }
}
#endif
