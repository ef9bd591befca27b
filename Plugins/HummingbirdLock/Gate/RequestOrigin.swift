#if HummingbirdLock
internal import HTTPTypes
internal import Hummingbird

/// The origin of a request, as far as the browser reports it (Fetch Metadata, and `Origin` of RFC 6454).
struct RequestOrigin {
    /// The cause of a request that opens a page.
    enum Cause {
        /// A person, as far as the browser reports it. Some browsers do not report the cause of a request.
        /// Such a request counts as a person's, except if its `Origin` is another site.
        case person
        /// A page of this site, without a reported input of the person. The page may have opened the next
        /// page by itself. Or the person may have clicked a link in Safari, which never reports an input.
        case ownPage
    }

    /// Whether the request would change something and comes from another site.
    let isForeignAct: Bool
    /// Whether the browser reports that the request comes from a page of this site.
    let isOwn: Bool
    /// Whether the request asks for a page.
    let wantsPage: Bool
    /// The cause of a request that opens a page. The value is `nil` for a part of a page, for a frame, and
    /// for a page that the browser loads ahead of time. It is also `nil` for a page that another site opened
    /// without a reported input of the person.
    let cause: Cause?

    init(_ request: Request, _ shared: SharedConfiguration) {
        let site = request.headers[.fetchSite]
        let isRead = [.get, .head, .options].contains(request.method)
        let origin = request.headers[.origin]
        // A page with the referrer policy "no-referrer" posts with the origin "null", even to its own site.
        // So the origin "null" is ignored if the browser reports that the request comes from the same site.
        let isUntold = origin == "null" && site == "same-origin"
        let isSameOrigin = isUntold ? nil : origin.map { Self.isSame($0, request, shared) }
        let isForeign = isSameOrigin == false || site.map { $0 != "same-origin" && $0 != "none" } == true
        isForeignAct = !isRead && isForeign
        isOwn = !isForeign && (isSameOrigin == true || site == "same-origin")
        let mode = request.headers[.fetchMode]
        wantsPage = mode.map { $0 == "navigate" } ?? request.headers[.accept]?.contains("text/html") ?? false
        let isAhead = [request.headers[.purpose], request.headers[.secPurpose]]
            .contains { $0?.contains("prefetch") == true || $0?.contains("prerender") == true }
        let target = request.headers[.fetchDest] ?? "document"
        let isByPerson = site == nil ? !isForeign : site == "none" || request.headers[.fetchUser] == "?1"
        let isOpened = wantsPage && !isAhead && target == "document" && request.method != .head
        cause = !isOpened ? nil : isByPerson ? .person : isOwn ? .ownPage : nil
    }

    private static func isSame(_ origin: String, _ request: Request, _ shared: SharedConfiguration)
        -> Bool
    {
        if let own = shared.value.origin { return origin == own }
        guard let host = request.head.authority ?? request.headers[.host],
            let mark = origin.firstRange(of: "://")
        else {
            return false
        }
        return origin[mark.upperBound...] == host
    }
}

extension HTTPField.Name {
    static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
    static let fetchMode = HTTPField.Name("Sec-Fetch-Mode")!
    static let fetchDest = HTTPField.Name("Sec-Fetch-Dest")!
    static let fetchUser = HTTPField.Name("Sec-Fetch-User")!
    static let secPurpose = HTTPField.Name("Sec-Purpose")!
    static let purpose = HTTPField.Name("Purpose")!
    static let byScript = HTTPField.Name("X-Portcullis")!
    static let host = HTTPField.Name("Host")!
    static let frameOptions = HTTPField.Name("X-Frame-Options")!
}
#endif
