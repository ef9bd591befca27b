internal import PortcullisCore

/// The members of the answers, as the API spells them.
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

/// A number of minutes, or `"never"`.
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

/// What has to come back with the code that was mailed.
struct RequestedAnswer: Decodable {
    var request: AccountCodeRequest
}

/// How an act ended.
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

/// What is used of a problem document (RFC 9457).
struct ProblemAnswer: Decodable {
    var title: String?
    var detail: String?
    /// Seconds, beside the field `Retry-After`.
    var retryAfter: Int?
    /// Whether what was asked for may have been carried out; a server that knows that it was not says `false`.
    var mayBeCarriedOut: Bool?

    /// One line for people, without anything that a terminal would obey.
    var message: String? {
        (detail ?? title).flatMap(ServerText.line)
    }
}
