import PortcullisCore
import PortcullisTesting

/// A right account whose answers are written down.
struct TranscribedAccount: PasscodeAccount {
    let inner: any PasscodeAccount
    let transcript: Transcript
    let device: String
    let tellsPasscodes: Bool

    /// - Parameter tellsPasscodes: whether it is written down which of the passcodes a call is about; not where it
    ///   depends on the order of tasks.
    static func subject(_ transcript: Transcript, tellsPasscodes: Bool = true) -> PasscodeAccountSubject {
        PasscodeAccountSubject {
            var place = FaultyAccount(.none).subject()
            func transcribed(_ account: any PasscodeAccount, _ device: String) -> Self {
                Self(inner: account, transcript: transcript, device: device, tellsPasscodes: tellsPasscodes)
            }
            place.account = transcribed(place.account, "")
            place.other = place.other.map { transcribed($0, "other ") }
            let (mailedCode, advance, inflict) = (place.mailedCode, place.advance, place.inflict)
            let (endSession, disable) = (place.endSession, place.disable)
            place.mailedCode = {
                guard let code = try await mailedCode?() else { throw NoMail() }
                let others = ["12345", "1234567", "12345a", "/12345"].map {
                    ($0, SecretBytes(copying: $0.utf8))
                }
                return transcript.answer("mail", code, as: "a code", or: others)
            }
            place.advance = { duration in
                transcript.note("advance by \(duration)")
                try await advance?(duration)
            }
            place.inflict = { fault in
                transcript.note("inflict \(fault)")
                try await inflict?(fault)
            }
            place.endSession = {
                transcript.note("end the session")
                try await endSession?()
            }
            place.disable = {
                transcript.note("disable")
                try await disable?()
            }
            return place
        }
    }

    private struct NoMail: Error {}

    func status() async throws(PasscodeAccountError) -> AccountPasscodeStatus {
        try await transcript.call(
            device + "status",
            as: { status in
                let revision = status.revision.map { text($0) } ?? "none"
                return "\(status.hasPasscode) \(status.isEnabled) \(status.timeout) \(revision)"
            },
            or: { result in
                guard case .success(let status) = result else { return Self.errors(result, nil) }
                func other(
                    _ text: String,
                    _ change: (inout AccountPasscodeStatus) -> Void
                ) -> (String, Result<AccountPasscodeStatus, PasscodeAccountError>) {
                    var other = status
                    change(&other)
                    return (text, .success(other))
                }
                let others = [
                    other("another passcode") { $0.hasPasscode.toggle() },
                    other("switched") { $0.isEnabled.toggle() },
                    other("another timeout") { $0.timeout = .minutes(77) },
                    other("another revision") { $0.revision = AccountRevision("bent") },
                    other("no revision") { $0.revision = nil },
                ]
                return status.revision == nil ? others.dropLast() : others
            },
            { () throws(PasscodeAccountError) in try await inner.status() }
        )
    }

    func set(
        _ passcode: SecretBytes,
        as revision: AccountRevision
    ) async throws(PasscodeAccountError) -> AccountSetOutcome {
        try await call("set \(text(passcode)) as \(text(revision))", [.set, .alreadySet]) {
            () throws(PasscodeAccountError) in
            try await inner.set(passcode, as: revision)
        }
    }

    func change(
        from current: SecretBytes,
        to new: SecretBytes,
        as revision: AccountRevision
    ) async throws(PasscodeAccountError) -> AccountVerifyOutcome {
        try await verification("change \(text(current)) to \(text(new)) as \(text(revision))") {
            () throws(PasscodeAccountError) in
            try await inner.change(from: current, to: new, as: revision)
        }
    }

    func verify(_ passcode: SecretBytes) async throws(PasscodeAccountError) -> AccountVerifyOutcome {
        try await verification("verify \(text(passcode))") { () throws(PasscodeAccountError) in
            try await inner.verify(passcode)
        }
    }

    func update(_ change: AccountSettingsChange) async throws(PasscodeAccountError) -> AccountVerifyOutcome {
        let question =
            switch change {
            case .timeout(let timeout): "timeout \(timeout)"
            case .switchOff(let current, let revision): "switch off \(text(current)) as \(text(revision))"
            }
        return try await verification(question) { () throws(PasscodeAccountError) in
            try await inner.update(change)
        }
    }

    func requestReset() async throws(PasscodeAccountError) -> AccountCodeRequest {
        try await transcript.call(
            device + "request a reset",
            as: { text($0) },
            or: { result in
                let other = AccountCodeRequest("bent")
                guard case .success = result, let other else { return Self.errors(result, other) }
                return [("another request", .success(other))] + Self.errors(result, other)
            },
            { () throws(PasscodeAccountError) in try await inner.requestReset() }
        )
    }

    func reset(
        code: SecretBytes,
        of request: AccountCodeRequest,
        to new: SecretBytes,
        as revision: AccountRevision
    ) async throws(PasscodeAccountError) -> AccountResetOutcome {
        let answers: [AccountResetOutcome] = [.reset, .refused, .expired, .usedUp]
        let isZeros = code.matches(SecretBytes(copying: "000000".utf8))
        let what = "\(isZeros ? "zeros" : "a code") of \(text(request))"
        return try await call("reset by \(what) to \(text(new)) as \(text(revision))", answers) {
            () throws(PasscodeAccountError) in
            try await inner.reset(code: code, of: request, to: new, as: revision)
        }
    }

    private func verification(
        _ question: String,
        _ work: () async throws(PasscodeAccountError) -> AccountVerifyOutcome
    ) async throws(PasscodeAccountError) -> AccountVerifyOutcome {
        let answers: [AccountVerifyOutcome] = [
            .right, .notSet, .wrong(failures: 1, retryAfter: .zero), .wrong(failures: 2, retryAfter: .zero),
            .wrong(failures: 2, retryAfter: .seconds(77)),
        ]
        return try await call(question, answers, work)
    }

    private func call<Answer: Equatable & Sendable>(
        _ question: String,
        _ answers: [Answer],
        _ work: () async throws(PasscodeAccountError) -> Answer
    ) async throws(PasscodeAccountError) -> Answer {
        try await transcript.call(
            device + question,
            as: { "\($0)" },
            or: { result in
                guard case .success(let seen) = result else { return Self.errors(result, answers[0]) }
                return answers.filter { $0 != seen }.map { ("\($0)", .success($0)) }
            },
            work
        )
    }

    private static func errors<Answer>(
        _ result: Result<Answer, PasscodeAccountError>,
        _ answer: Answer?
    ) -> [(String, Result<Answer, PasscodeAccountError>)] {
        let error = PasscodeAccountError(code: .unavailable, message: "bent")
        guard case .failure(let seen) = result else { return [("an error", .failure(error))] }
        var others: [(String, Result<Answer, PasscodeAccountError>)] = [("another error", .failure(error))]
        if let answer { others.append(("no error", .success(answer))) }
        guard seen.code == .throttled else { return others }
        for wait in [nil, Duration.zero, .seconds(1_000_000)] {
            let other = PasscodeAccountError(code: .throttled, message: "bent", retryAfter: wait)
            others.append(("wait \(wait.map { "\($0)" } ?? "unknown")", .failure(other)))
        }
        return others
    }

    private func text(_ revision: AccountRevision) -> String {
        "revision \(transcript.name(of: revision.rawValue))"
    }

    private func text(_ request: AccountCodeRequest) -> String {
        "request \(transcript.name(of: request.rawValue))"
    }

    /// What a passcode is for in the suite.
    private func text(_ passcode: SecretBytes) -> String {
        guard tellsPasscodes else { return "a passcode" }
        let passcodes = PasscodeAccountSubject.Passcodes()
        let names = [
            (passcodes.first, "first"), (passcodes.second, "second"), (passcodes.wrong, "wrong"),
            (passcodes.malformed, "malformed"),
        ]
        return names.first { $0.0.matches(passcode) }?.1 ?? "another"
    }
}
