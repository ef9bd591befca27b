internal import PasscodeLock
internal import PortcullisCore

/// The outcome of a passcode command, as a text, as JSON and as an exit status.
struct PasscodeOutcome: Sendable {
    var text: String
    var report: PasscodeReport
    var exit: ToolExit

    static func done(_ text: String, _ report: PasscodeReport) -> PasscodeOutcome {
        PasscodeOutcome(text: text, report: report, exit: .yes)
    }

    static func refused(_ text: String, _ report: PasscodeReport, _ exit: ToolExit) -> PasscodeOutcome {
        PasscodeOutcome(text: text, report: report, exit: exit)
    }

    static let notSet = refused("No passcode is set.", PasscodeReport(result: "notSet"), .no)

    static func answer(
        _ answer: PasscodeAnswer,
        done: String,
        result: String,
        isRecoverable: Bool? = nil
    ) -> PasscodeOutcome {
        switch answer {
        case .right:
            return .done(done, PasscodeReport(result: result))
        case .wrong(let failures, let retryAfter):
            let wait = retryAfter > .zero ? " \(PasscodeStrings.english.tryAgain(in: retryAfter))." : ""
            let report = PasscodeReport(result: "wrong", failures: failures, retryAfter: retryAfter)
            return .refused("\(PasscodeStrings.english.incorrect).\(wait)", report, .no)
        case .throttled(let retryAfter):
            let text = "\(PasscodeStrings.english.tryAgain(in: retryAfter))."
            return .refused(text, PasscodeReport(result: "throttled", retryAfter: retryAfter), .throttled)
        case .limitReached:
            let text = PasscodeStrings.english.limitDue
            return .refused(text, PasscodeReport(result: "limitReached"), .throttled)
        case .triesExhausted:
            let text = PasscodeStrings.english.triesExhausted(isRecoverable: isRecoverable)
            return .refused(text, PasscodeReport(result: "triesExhausted"), .throttled)
        case .notSet:
            return .notSet
        }
    }

    /// The outcome of `passcode status`. `status` is `nil` if there is no store. The outcome then says that
    /// no passcode is set.
    static func status(_ status: PasscodeStatus?, _ hardware: HardwareReport?) -> PasscodeOutcome {
        guard let status else {
            return .done("No passcode is set.", PasscodeReport(set: false, failures: 0, retryAfter: .zero))
        }
        var text = status.isSet ? "A passcode is set." : "No passcode is set."
        if status.failures > 0 { text += " Wrong in a row: \(status.failures)." }
        if status.retryAfter > .zero {
            text += " \(PasscodeStrings.english.tryAgain(in: status.retryAfter))."
        }
        if let hardware { text += hardware.text }
        var report = PasscodeReport(
            set: status.isSet,
            failures: status.failures,
            retryAfter: status.retryAfter
        )
        report.hardware = hardware
        return .done(text, report)
    }
}

/// The JSON of a passcode command. Members that do not apply are left out.
struct PasscodeReport: Encodable, Sendable {
    var result: String?
    var set: Bool?
    var failures: Int?
    /// The seconds to wait, rounded up.
    var retryAfter: Int64?
    var hardware: HardwareReport?

    init(result: String? = nil, set: Bool? = nil, failures: Int? = nil, retryAfter: Duration? = nil) {
        self.result = result
        self.set = set
        self.failures = failures
        self.retryAfter = retryAfter.map { duration in
            let parts = duration.components
            return parts.seconds + (parts.attoseconds > 0 ? 1 : 0)
        }
    }
}

/// The JSON of the hardware that holds a passcode: the count of failures and its limit, or the reason why
/// they cannot be read.
struct HardwareReport: Encodable, Sendable {
    var kind: String
    var failures: Int?
    var limit: Int?
    var error: String?

    /// Reads the report from the hardware. The result is `nil` if no hardware holds the passcode, or if the
    /// passcode's record cannot be read.
    init?(_ service: PasscodeService) async {
        do throws(PasscodeError) {
            guard let count = try await service.hardwareCount() else { return nil }
            (kind, failures, limit) = (count.kind, count.failures, count.limit)
        } catch {
            guard let cause = error.cause as? PasscodeSealerError else { return nil }
            (kind, self.error) = ("tpm2", "\(cause.code)")
        }
    }

    var text: String {
        if let failures, let limit { return " The TPM has counted \(failures) wrong of \(limit)." }
        return " The TPM cannot be asked: \(error ?? "")."
    }
}
