internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import PortcullisCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

struct RequestedAnswer: Encodable {
    /// The identifier that the client sends back with the code.
    var request: AccountCodeRequest
}

struct SignedInAnswer: Encodable {
    var token: String
    /// Seconds.
    var expiresIn: Int
    var user: UserAnswer
}

struct UserAnswer: Encodable {
    var id: UserID
    var role: AccountRole
    /// The reason why the person is held back; absent if the person is not.
    var quarantine: String?

    init(_ account: Account) {
        id = account.id
        role = account.role
        quarantine = account.quarantine
    }
}

struct StatusAnswer: Encodable {
    var hasPasscode: Bool
    var isEnabled: Bool
    var timeoutMinutes: TimeoutWord
    var revision: AccountRevision?
}

struct OutcomeAnswer: Encodable {
    var outcome: String
    var failures: Int?
    /// Seconds.
    var retryAfter: Int?

    init(_ outcome: String) { self.outcome = outcome }

    init(_ verdict: PasscodeDesk.Verdict) {
        switch verdict {
        case .right: outcome = "right"
        case .notSet: outcome = "notSet"
        case .wrong(let failures, let wait):
            outcome = "wrong"
            self.failures = failures
            retryAfter = Problem.seconds(wait)
        }
    }
}

extension Response {
    /// Makes an answer in JSON that no cache may store.
    init(_ status: HTTPResponse.Status, json answer: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        self.init(
            status: status,
            headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: try encoder.encode(answer)))
        )
    }
}
