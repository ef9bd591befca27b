public import PortcullisCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Carries one HTTP request to a server and its answer back.
///
/// ## For callers
/// - Every status is an answer, 401 and redirections among them; an error means that there is no answer.
/// - A request is sent once. Whether one that failed may have been carried out, the error says.
/// - Cancelling the task ends the request.
///
/// ## For implementers
/// - Each request has a connection of its own: on one that the server has closed meanwhile, a client would send the
///   request again by itself, and a passcode that is sent twice counts twice.
/// - Redirections are not followed, and nothing answers a challenge such as `WWW-Authenticate: Basic`: a passcode is for
///   one server only. No cookie is kept, and nothing is cached.
/// - Encodings are asked for with `Accept-Encoding: identity`, and an answer with another `Content-Encoding` is refused
///   unread: what comes out of a compressed body is up to a thousand times as large.
/// - The limits hold for the whole: an answer that begins in time and then comes in drips is given up, too.
/// - Certificates are verified as the platform does.
/// - What is sent is not kept: buffers with a request's body are zeroed as far as the library below allows.
public protocol HTTPTransport: Sendable {
    /// Whether requests to a server would go where they should; asked once, before anything is sent there.
    ///
    /// - Throws: ``HTTPTransportErrorCode/unsafe`` where the environment leads plain HTTP for this machine to a proxy.
    func check(_ server: URL) throws(HTTPTransportError)

    /// Sends a request.
    ///
    /// - Returns: the whole answer.
    /// - Throws: ``HTTPTransportError``, with the code that fits.
    func send(_ request: HTTPTransportRequest) async throws(HTTPTransportError) -> HTTPTransportAnswer
}

/// How much and how long a transport listens.
public struct HTTPTransportLimits: Sendable, Hashable {
    /// How long nothing may happen on the line, and how long it may take to connect.
    public var idleTimeout: Duration
    /// How long one request may take in all, the answer included.
    public var timeout: Duration
    /// The most bytes of an answer's body.
    public var largestAnswer: Int

    /// Limits.
    ///
    /// - Parameters:
    ///   - idleTimeout: how long nothing may happen on the line, and how long it may take to connect.
    ///   - timeout: how long one request may take in all.
    ///   - largestAnswer: the most bytes of an answer's body.
    public init(
        idleTimeout: Duration = .seconds(10),
        timeout: Duration = .seconds(30),
        largestAnswer: Int = 64 * 1024
    ) {
        self.idleTimeout = idleTimeout
        self.timeout = timeout
        self.largestAnswer = largestAnswer
    }
}

/// What is sent.
public struct HTTPTransportRequest: Sendable {
    /// What the request is for.
    public enum Method: String, Sendable {
        /// To read.
        case get = "GET"
        /// To have something done.
        case post = "POST"
    }

    /// The method.
    public var method: Method
    /// Where to: `https`, or `http` where the caller allows it.
    public var url: URL
    /// The session's token, which is sent as `Authorization: Bearer` (RFC 6750).
    public var token: BearerToken?
    /// A JSON text (RFC 8259); `nil` for none.
    public var body: SecretBytes?

    /// A request.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - url: where to.
    ///   - token: the session's token.
    ///   - body: a JSON text.
    public init(_ method: Method, _ url: URL, token: BearerToken? = nil, body: SecretBytes? = nil) {
        self.method = method
        self.url = url
        self.token = token
        self.body = body
    }

    /// The head's fields beside the token's.
    var fields: [(name: String, value: String)] {
        [("Accept", "application/json, application/problem+json"), ("Accept-Encoding", "identity")]
            + (body == nil ? [] : [("Content-Type", "application/json")])
    }
}

/// A token that can stand in a field.
public struct BearerToken: Sendable {
    private let bytes: SecretBytes

    /// A token.
    ///
    /// - Returns: `nil` for an empty one, and for one with other bytes than visible ASCII (0x21–0x7E), which could end
    ///   the field.
    public init?(_ bytes: SecretBytes) {
        let isToken = bytes.withBytes { bytes in
            bytes.count > 0 && bytes.indices.allSatisfy { (0x21...0x7E).contains(bytes[$0]) }
        }
        guard isToken else { return nil }
        self.bytes = bytes
    }

    /// The field's value: text that a library keeps in memory which is not zeroed.
    var field: String {
        bytes.withBytes { bytes in
            bytes.indices.reduce(into: "Bearer ") { $0.unicodeScalars.append(UnicodeScalar(bytes[$1])) }
        }
    }
}

/// What a server answered.
public struct HTTPTransportAnswer: Sendable {
    /// The status code, 100 to 999.
    public var status: Int
    /// The fields' values by their names in small letters; those of one name are joined by a comma.
    public var fields: [String: String]
    /// The body, never longer than the limit.
    public var body: Data

    /// An answer.
    ///
    /// - Parameters:
    ///   - status: the status code.
    ///   - fields: the fields' values by their names in small letters.
    ///   - body: the body.
    public init(status: Int, fields: [String: String], body: Data) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// Whether the body says that it is JSON, or a problem document (RFC 9457).
    public var isJSON: Bool {
        let type = fields["content-type"]?.lowercased() ?? ""
        return type.hasPrefix("application/json") || type.hasPrefix("application/problem+json")
    }

    /// Whether the body is as the server's program wrote it.
    static func isIdentity(encoding: String?) -> Bool {
        guard let encoding else { return true }
        return encoding.split(separator: ",").allSatisfy {
            let name = $0.filter { $0 != " " && $0 != "\t" }
            return name.isEmpty || name.lowercased() == "identity"
        }
    }
}
