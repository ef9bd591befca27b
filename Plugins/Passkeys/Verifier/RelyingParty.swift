#if Passkeys
/// A site that passkeys are bound to, with the rules for the responses that it accepts.
///
/// The result of each method depends only on the site's rules and the arguments. The rules are those of Web
/// Authentication Level 3, section 7.
public struct RelyingParty: Sendable, Hashable {
    /// Whether a page that another site shows in a frame may register and use passkeys.
    public enum Embedding: Sendable, Hashable {
        /// A page that another site shows in a frame may not register or use passkeys.
        case refused
        /// A page in a frame may register and use passkeys if the outermost page has one of these origins.
        /// The page may also do so if the browser does not report the outermost page's origin.
        case allowed(topOrigins: Set<String>)
    }

    /// The domain that passkeys are bound to, such as `example.org`.
    public let id: String
    /// The site's name in the browser's dialogue.
    public let name: String
    /// The origins of the pages that may register and use passkeys, such as `https://example.org`. A page's
    /// origin has to equal one of them exactly.
    public let origins: Set<String>
    /// Whether pages in frames of other sites may register and use passkeys.
    public let embedding: Embedding
    /// Whether the authenticator has to verify the person, by a finger, a face or a PIN. If this is `true`,
    /// the response of an authenticator that did not verify the person is refused.
    public private(set) var needsUserVerification: Bool

    /// Makes a site.
    ///
    /// - Parameters:
    ///   - id: the domain, in lower case.
    ///   - name: the site's name in the browser's dialogue.
    ///   - origins: the origins of the pages that may register and use passkeys. An origin consists of a
    ///     scheme, a host and an optional port. The host is the domain or a subdomain. The scheme is `https`;
    ///     on `localhost` and its subdomains it may also be `http`.
    ///   - embedding: whether pages in frames of other sites may register and use passkeys; default: they may
    ///     not.
    ///   - needsUserVerification: whether the authenticator has to verify the person; default: it has to.
    /// - Throws: ``WebAuthnErrorCode/invalidRelyingParty`` if `id` is no domain in lower case, if `origins`
    ///   is empty, or if an origin does not have the form and host that are described for `origins`.
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

    /// A copy of the site that always demands user verification.
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
