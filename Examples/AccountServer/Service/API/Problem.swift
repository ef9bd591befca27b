internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import PasscodeLock
internal import PortcullisCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The reason why a request was not carried out, in the form for the client (RFC 9457).
struct Problem: Error, Sendable, Hashable {
    var status: Int
    /// The last part of the type's URN.
    var type: String
    var title: String
    var detail: String?
    var retryAfter: Duration?
    /// The methods in the `Allow` field.
    var allowed: [String] = []
    /// Whether the request may have been carried out although the answer is a problem.
    var mayBeCarriedOut = false
    /// Whether the connection ends with this answer.
    var endsConnection = false

    private struct Document: Encodable {
        var type: String
        var title: String
        var status: Int
        var detail: String?
        var retryAfter: Int?
        var mayBeCarriedOut: Bool?
    }

    /// Returns the duration in whole seconds, rounded up.
    static func seconds(_ duration: Duration) -> Int {
        let (seconds, attoseconds) = duration.components
        return Int(max(0, seconds + (attoseconds > 0 ? 1 : 0)))
    }

    var response: Response {
        let wait = retryAfter.map { max(1, Self.seconds($0)) }
        let document = Document(
            type: "urn:portcullis:problem:\(type)",
            title: title,
            status: status,
            detail: detail,
            retryAfter: wait,
            mayBeCarriedOut: status >= 500 ? mayBeCarriedOut : nil
        )
        var headers: HTTPFields = [.contentType: "application/problem+json", .cacheControl: "no-store"]
        if let wait { headers[.retryAfter] = String(wait) }
        if status == 401 { headers[.wwwAuthenticate] = "Bearer" }
        if endsConnection { headers[.connection] = "close" }
        if !allowed.isEmpty { headers[.allow] = allowed.joined(separator: ", ") }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // The encoder cannot fail, because the document has only texts and numbers. Without the document, the
        // status would still tell the problem.
        let body = (try? encoder.encode(document)) ?? Data()
        return Response(
            status: HTTPResponse.Status(code: status),
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body))
        )
    }
}

extension Problem {
    static func malformed(_ detail: String) -> Problem {
        Problem(status: 400, type: "malformed", title: "The request cannot be understood.", detail: detail)
    }

    static let notSignedIn = Problem(
        status: 401,
        type: "not-signed-in",
        title: "Your session has ended. Sign in again."
    )
    static let codeRefused = Problem(
        status: 401,
        type: "code-refused",
        title: "The code is not right, or no longer."
    )
    static let notAdministrator = Problem(
        status: 401,
        type: "not-administrator",
        title: "This takes an administrator's token."
    )
    static func quarantined(_ reason: String) -> Problem {
        Problem(status: 403, type: "quarantined", title: "Your account is held back.", detail: reason)
    }
    static let disabled = Problem(
        status: 403,
        type: "passcodes-disabled",
        title: "Your administrator has disabled passcodes."
    )
    static let notFound = Problem(status: 404, type: "not-found", title: "There is nothing here.")
    static func wrongMethod(_ allowed: [String]) -> Problem {
        Problem(
            status: 405,
            type: "wrong-method",
            title: "This is not done with that method.",
            allowed: allowed
        )
    }
    static let tooLarge = Problem(status: 413, type: "too-large", title: "The request is too large.")
    static let notJSON = Problem(
        status: 415,
        type: "not-json",
        title: "The request's body must be application/json."
    )
    static func badPasscode(_ detail: String) -> Problem {
        Problem(status: 422, type: "bad-passcode", title: "This cannot be a passcode.", detail: detail)
    }
    static let badCode = Problem(status: 422, type: "bad-code", title: "A code has 6 digits.")
    static func throttled(_ title: String, _ wait: Duration) -> Problem {
        Problem(status: 429, type: "throttled", title: title, retryAfter: wait)
    }
    /// Too many requests come from a network. The connection ends, because each further request on it would
    /// cost as much as an answer.
    static func flooded(_ title: String, _ wait: Duration) -> Problem {
        var problem = throttled(title, wait)
        problem.endsConnection = true
        return problem
    }
    static let failed = Problem(
        status: 500,
        type: "failed",
        title: "The server failed.",
        mayBeCarriedOut: true
    )
    static let busy = Problem(
        status: 503,
        type: "busy",
        title: "The server is busy.",
        retryAfter: .seconds(2)
    )

    /// The server runs but does not answer for now. The reason contains no secret.
    static func notReady(_ reason: String) -> Problem {
        Problem(
            status: 503,
            type: "not-ready",
            title: "The server does not answer for now.",
            detail: reason,
            retryAfter: .seconds(2)
        )
    }

    /// The store does not know whether a change was made.
    static let unsettled = Problem(
        status: 503,
        type: "unsettled",
        title: "The server cannot tell whether it was done.",
        retryAfter: .seconds(2),
        mayBeCarriedOut: true
    )

    static let full = Problem(
        status: 503,
        type: "full",
        title: "The server has no room left.",
        retryAfter: .seconds(60)
    )

    /// Makes the problem that a client is told for an error. Details that the client is not told go to the
    /// log.
    init(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as PasscodeError where error.code == .wrongFormat:
            // A message such as "2 characters too few" is only about the passcode that this client has just
            // sent.
            self = .badPasscode(error.message)
        case let error as PasscodeError where error.code == .store:
            self = (error.cause as? SecretStoreError).map(Problem.init) ?? .failed
        case let error as SecretStoreError: self.init(error)
        case is NIOTooManyBytesError: self = .tooLarge
        case let error as any HTTPResponseError where error.status == .notFound: self = .notFound
        case let error as any HTTPResponseError where error.status == .contentTooLarge: self = .tooLarge
        default: self = .failed
        }
    }

    /// Makes the problem for an error of the store. Nothing was written, unless the problem says that the
    /// request may have been carried out.
    private init(_ error: SecretStoreError) {
        switch error.code.portable {
        case .diskFull, .readOnly: self = .full
        case .lockTimeout, .unreachable, .timedOut: self = .busy
        case .outcomeUnknown: self = .unsettled
        default: self = .failed
        }
    }
}
