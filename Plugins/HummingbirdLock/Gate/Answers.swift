#if HummingbirdLock
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import WebScreens

/// The responses that the gate makes itself.
enum Answers {
    static let lockedStatus = HTTPResponse.Status(code: 423, reasonPhrase: "Locked")

    /// Returns the lock screen if the request asks for a page, otherwise a problem document (RFC 9457). If the
    /// session has ended meanwhile, returns the response to a request without a session.
    static func locked(_ session: WebSession, _ request: Request, _ origin: RequestOrigin) async -> Response {
        let isGet = request.method == .get
        let next = LocalPath(isGet ? request.uri.description : "/").text
        let page = origin.wantsPage ? await session.page(next: next, reload: isGet ? nil : next) : nil
        if session.gate.isOver { return signIn(origin, session.shared) }
        guard let page else { return problem(lockedStatus, "The session is locked.") }
        return self.page(page, lockedStatus, isHead: request.method == .head)
    }

    /// A page of the lock's screens.
    static func page(_ html: String, _ status: HTTPResponse.Status, isHead: Bool = false) -> Response {
        var headers = HTTPFields()
        for (name, value) in WebPage.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        return Response(
            status: status,
            headers: headers,
            body: isHead ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(string: html))
        )
    }

    /// A problem document (RFC 9457).
    static func problem(_ status: HTTPResponse.Status, _ title: String) -> Response {
        let text = #"{"type":"about:blank","title":"\#(title)","status":\#(status.code)}"#
        return Response(
            status: status,
            headers: [
                .contentType: "application/problem+json", .cacheControl: "no-store",
                .xContentTypeOptions: "nosniff",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }

    static func json(_ message: WebMessage) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "application/json", .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: message.json))
        )
    }

    static func redirect(_ path: String) -> Response {
        Response(status: .seeOther, headers: [.location: path, .cacheControl: "no-store"])
    }

    /// The response to a request without a session: a redirect to the sign-in for a page, otherwise a problem
    /// document.
    ///
    /// - Parameter cookies: cookies to send. If this response replaces the host's response, they are the
    ///   cookies of the host's response.
    static func signIn(
        _ origin: RequestOrigin,
        _ shared: SharedConfiguration,
        cookies: [String] = []
    ) -> Response {
        var response =
            origin.wantsPage
            ? redirect(shared.value.signIn) : problem(.unauthorized, "This request has no session.")
        if !cookies.isEmpty { response.headers[values: .setCookie] = cookies }
        return response
    }

    /// Adds headers to the host's response. The headers forbid every site to show the response in a frame. If
    /// the host has set `frame-ancestors` itself, its value stays. If `mayBeKept` is `false`, the headers
    /// also forbid caches to store the response.
    static func guarded(_ response: Response, mayBeKept: Bool) -> Response {
        var response = response
        if !mayBeKept { response.headers[.cacheControl] = "no-store" }
        response.headers[.frameOptions] = "DENY"
        let policy = response.headers[.contentSecurityPolicy]
        if policy?.contains("frame-ancestors") != true {
            response.headers[.contentSecurityPolicy] = [policy, "frame-ancestors 'none'"].compactMap(\.self)
                .joined(separator: "; ")
        }
        return response
    }
}

/// A path of this site that the browser opens next. A browser cannot mistake the path's text for the address
/// of another site.
struct LocalPath {
    let text: String

    /// Makes a path from a request's text. A text that is not a path of this site becomes "/".
    init(_ text: String) {
        let isPath =
            text.utf8.first == UInt8(ascii: "/") && text.utf8.count <= 2048
            && text.utf8.dropFirst().first != UInt8(ascii: "/")
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }
        self.text = isPath ? text : "/"
    }
}
#endif
