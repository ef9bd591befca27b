public import PortcullisCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Sends one HTTP request to a server, and returns the answer.
///
/// ## For callers
/// - Every status is an answer, even 401 and redirections. An error means that there is no answer.
/// - A request is sent once. The error says whether the server may have carried the request out.
/// - Cancelling the task ends the request.
///
/// ## For implementers
/// - Each request has a connection of its own. The server may close a reused connection at any time, and a
///   client library may then send the request a second time by itself. The server would count a wrong
///   passcode twice.
/// - Redirections are not followed, and challenges such as `WWW-Authenticate: Basic` are not answered,
///   because a passcode is for one server only. Cookies are not kept, and answers are not cached.
/// - Requests have the field `Accept-Encoding: identity`. An answer with another `Content-Encoding` is
///   refused, and its body is not read. A body can become a thousand times larger when it is decompressed.
/// - The limits apply to the whole answer, even if it begins in time and then arrives slowly.
/// - Certificates are verified by the rules of the platform.
/// - Buffers with a request's body are zeroed as far as the underlying library allows.
public protocol HTTPTransport: Sendable {
    /// Refuses a server if requests to it would use a proxy that is unsafe or not supported. The account
    /// calls this method once, before its first request.
    ///
    /// - Throws: ``HTTPTransportErrorCode/unsafe`` if the environment variables name a proxy that the
    ///   transport cannot use, or a proxy that must not receive plain HTTP for this server.
    func check(_ server: URL) throws(HTTPTransportError)

    /// Sends a request.
    ///
    /// - Returns: the whole answer.
    /// - Throws: ``HTTPTransportError``.
    func send(_ request: HTTPTransportRequest) async throws(HTTPTransportError) -> HTTPTransportAnswer
}

/// The limits of a transport, in time and size.
public struct HTTPTransportLimits: Sendable, Hashable {
    /// The longest time without any byte from the server, and the longest time for connecting.
    public var idleTimeout: Duration
    /// The longest time for one request, including its answer.
    public var timeout: Duration
    /// The largest size of an answer's body in bytes.
    public var largestAnswer: Int

    /// Makes limits.
    ///
    /// - Parameters:
    ///   - idleTimeout: the longest time without any byte from the server, and the longest time for
    ///     connecting.
    ///   - timeout: the longest time for one request, including its answer.
    ///   - largestAnswer: the largest size of an answer's body in bytes.
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

/// A request for a transport.
public struct HTTPTransportRequest: Sendable {
    /// The methods of requests.
    public enum Method: String, Sendable {
        /// The request only reads.
        case get = "GET"
        /// The request changes something.
        case post = "POST"
    }

    /// The method.
    public var method: Method
    /// The address. Its scheme is `https`, or `http` if plain HTTP to its host is allowed.
    public var url: URL
    /// The session's token, which is sent as `Authorization: Bearer` (RFC 6750).
    public var token: BearerToken?
    /// The body, a JSON text (RFC 8259); `nil` for a request without a body.
    public var body: SecretBytes?

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - url: the address.
    ///   - token: the session's token.
    ///   - body: the body, a JSON text.
    public init(_ method: Method, _ url: URL, token: BearerToken? = nil, body: SecretBytes? = nil) {
        self.method = method
        self.url = url
        self.token = token
        self.body = body
    }

    /// The fields of the head, except the field with the token.
    var fields: [(name: String, value: String)] {
        [("Accept", "application/json, application/problem+json"), ("Accept-Encoding", "identity")]
            + (body == nil ? [] : [("Content-Type", "application/json")])
    }
}

/// A bearer token (RFC 6750). It has only characters that a field of a request's head may have.
public struct BearerToken: Sendable {
    private let bytes: SecretBytes

    /// Makes a token from bytes that are checked first.
    ///
    /// - Returns: `nil` for an empty token, and for a token with bytes other than visible ASCII (0x21–0x7E),
    ///   because such bytes could end the field.
    public init?(_ bytes: SecretBytes) {
        let isToken = bytes.withBytes { bytes in
            bytes.count > 0 && bytes.indices.allSatisfy { (0x21...0x7E).contains(bytes[$0]) }
        }
        guard isToken else { return nil }
        self.bytes = bytes
    }

    /// The value of the field `Authorization`. The HTTP library keeps this text in memory that is not zeroed.
    var field: String {
        bytes.withBytes { bytes in
            bytes.indices.reduce(into: "Bearer ") { $0.unicodeScalars.append(UnicodeScalar(bytes[$1])) }
        }
    }
}

/// The answer of a server.
public struct HTTPTransportAnswer: Sendable {
    /// The status code, 100 to 999.
    public var status: Int
    /// The values of the fields, by their names in lower case. Several values of one name are joined by
    /// commas.
    public var fields: [String: String]
    /// The body, at most as large as the limit.
    public var body: Data

    /// Makes an answer.
    ///
    /// - Parameters:
    ///   - status: the status code.
    ///   - fields: the values of the fields, by their names in lower case.
    ///   - body: the body.
    public init(status: Int, fields: [String: String], body: Data) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// Whether the answer has the media type of JSON, or of a problem document (RFC 9457).
    public var isJSON: Bool {
        let type = fields["content-type"]?.lowercased() ?? ""
        return type.hasPrefix("application/json") || type.hasPrefix("application/problem+json")
    }

    /// Whether the body has no encoding, such as compression.
    static func isIdentity(encoding: String?) -> Bool {
        guard let encoding else { return true }
        return encoding.split(separator: ",").allSatisfy {
            let name = $0.filter { $0 != " " && $0 != "\t" }
            return name.isEmpty || name.lowercased() == "identity"
        }
    }
}
