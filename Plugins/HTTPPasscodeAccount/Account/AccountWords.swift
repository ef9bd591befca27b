internal import PortcullisCore

/// The server's answer to a request for the passcode's status. The members have the same names as in the API.
struct StatusAnswer: Decodable {
    var hasPasscode: Bool
    var isEnabled: Bool
    var timeoutMinutes: TimeoutWord
    var revision: AccountRevision?

    var status: AccountPasscodeStatus {
        AccountPasscodeStatus(
            hasPasscode: hasPasscode,
            isEnabled: isEnabled,
            timeout: timeoutMinutes.timeout,
            revision: revision
        )
    }
}

/// The timeout as the API writes it: a number of minutes, or `"never"`.
struct TimeoutWord: Decodable {
    var timeout: AccountTimeout

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let word = try? container.decode(String.self), word == "never" {
            timeout = .never
            return
        }
        timeout = .minutes(try container.decode(Int.self))
        guard timeout.isValid else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a timeout")
        }
    }
}

/// The answer to a request for a mailed code. It contains an identifier of the request. The client sends the
/// identifier back together with the mailed code.
struct RequestedAnswer: Decodable {
    var request: AccountCodeRequest
}

/// The answer with the outcome of an act, such as setting or checking a passcode.
struct OutcomeAnswer: Decodable {
    var outcome: String
    var failures: Int?
    var retryAfter: Int?

    var setOutcome: AccountSetOutcome? {
        switch outcome {
        case "set": .set
        case "alreadySet": .alreadySet
        default: nil
        }
    }

    var verifyOutcome: AccountVerifyOutcome? {
        switch outcome {
        case "right": .right
        case "notSet": .notSet
        case "wrong":
            if let failures, failures >= 1, let retryAfter, retryAfter >= 0 {
                .wrong(failures: failures, retryAfter: RetryAfter.wait(seconds: retryAfter))
            } else {
                nil
            }
        default: nil
        }
    }

    var resetOutcome: AccountResetOutcome? {
        switch outcome {
        case "reset": .reset
        case "refused": .refused
        case "expired": .expired
        case "usedUp": .usedUp
        default: nil
        }
    }
}

/// The members of a problem document (RFC 9457) that this client uses.
struct ProblemAnswer: Decodable {
    var title: String?
    var detail: String?
    /// The time to wait before the next request, in seconds. Servers send this member in addition to the
    /// field `Retry-After`.
    var retryAfter: Int?
    /// Whether the server may have carried the request out; `nil` if the server does not say. The server
    /// sends `false` only if it is certain that the request was not carried out.
    var mayBeCarriedOut: Bool?

    /// One line for people, without control characters that a terminal would obey; `nil` if the document has
    /// no text.
    var message: String? {
        (detail ?? title).flatMap(ServerText.line)
    }
}
