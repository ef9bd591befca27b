#if Passkeys
/// The site that passkeys are for, and which responses it takes.
///
/// It is a value without state: what it is asked depends on its arguments alone. The rules are those of Web
/// Authentication Level 3, section 7.
public struct RelyingParty: Sendable, Hashable {
    /// Whether a page in a frame of another site may register and use passkeys.
    public enum Embedding: Sendable, Hashable {
        /// It may not.
        case refused
        /// It may, in pages of these origins. Where the browser does not tell the outermost page's origin, it may too.
        case allowed(topOrigins: Set<String>)
    }

    /// The domain that passkeys are bound to, such as `example.org`.
    public let id: String
    /// What the person reads in the browser's dialogue.
    public let name: String
    /// The origins whose pages may answer, such as `https://example.org`; compared as they are.
    public let origins: Set<String>
    /// Whether pages in frames may answer.
    public let embedding: Embedding
    /// Whether a response counts only if the authenticator verified the person, by a finger, a face or a PIN.
    public private(set) var needsUserVerification: Bool

    /// A site.
    ///
    /// - Parameters:
    ///   - id: the domain.
    ///   - name: what the person reads.
    ///   - origins: scheme, host and port of each page that may answer. The host is the domain or lies below it, the
    ///     scheme is `https`, or `http` on `localhost`.
    ///   - embedding: whether pages in frames of other sites may answer; default: they may not.
    ///   - needsUserVerification: whether the authenticator has to verify the person; default: it has to.
    /// - Throws: ``WebAuthnErrorCode/invalidRelyingParty`` where id and origins are not so.
    public init(
        id: String,
        name: String,
        origins: Set<String>,
        embedding: Embedding = .refused,
        needsUserVerification: Bool = true
    ) throws(WebAuthnError) {
        guard Self.isDomain(id) else {
            throw WebAuthnError(.invalidRelyingParty, "the id is no domain in lower case")
        }
        guard !origins.isEmpty, origins.allSatisfy({ Self.isOrigin($0, of: id) }) else {
            throw WebAuthnError(.invalidRelyingParty, "an origin is none, or is not of the id's domain")
        }
        (self.id, self.name, self.origins) = (id, name, origins)
        (self.embedding, self.needsUserVerification) = (embedding, needsUserVerification)
    }

    /// The same site, where the authenticator has to verify the person.
    var verifyingUsers: RelyingParty {
        var site = self
        site.needsUserVerification = true
        return site
    }

    private static func isDomain(_ text: String) -> Bool {
        text.utf8.count <= 253
            && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
            }
    }

    private static func isOrigin(_ text: String, of id: String) -> Bool {
        let isSecure = text.hasPrefix("https://")
        guard isSecure || text.hasPrefix("http://") else { return false }
        let rest = text.dropFirst(isSecure ? 8 : 7)
        let parts = rest.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let host = String(parts[0])
        let hasPort = parts.count == 1 || (UInt16(parts[1]).map { "\($0)" == parts[1] && $0 > 0 } ?? false)
        guard hasPort, isDomain(host), host == id || host.hasSuffix(".\(id)") else { return false }
        return isSecure || host == "localhost" || host.hasSuffix(".localhost")
    }
}
#endif
