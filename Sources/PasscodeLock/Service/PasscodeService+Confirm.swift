internal import AdapterKit
internal import PortcullisCore

/// The check of a passcode by the account. After one confirmation, this device checks the passcode alone.
extension PasscodeService {
    enum Confirmation: Sendable {
        /// The passcode is right. From now on this device checks it alone.
        case confirmed(PasscodeRecord, SecretBytes)
        case answered(PasscodeAnswer)
        /// The record changed while the account was asked.
        case overtaken
    }

    /// Reads the account's status, and stores the revision of the status in the record. The caller does this
    /// before the account checks a passcode. It also does this before the device checks a passcode that was
    /// changed and then switched off elsewhere, because the account may have another one again.
    ///
    /// The record then has the revision that the account's passcode had before the check. If another device
    /// changes the account's passcode between the status and the check, the next status has another
    /// revision and so shows the change.
    func askAccountFirst() async throws(PasscodeError) {
        guard account != nil else { throw Self.noAccount }
        try await synchronise()
    }

    /// Asks the account to check a passcode whose try was counted on this device.
    func confirm(
        _ passcode: SecretBytes,
        _ record: PasscodeRecord,
        before: Throttle
    ) async throws(PasscodeError) -> Confirmation {
        guard let account else { throw Self.noAccount }
        let outcome: AccountVerifyOutcome
        do {
            outcome = try await account.verify(passcode)
        } catch {
            // With every error except `outcomeUnknown`, the account has not checked the passcode. So the try
            // is refunded.
            if error.code != .outcomeUnknown { try await refund(record, before) }
            if error.code == .throttled, let left = error.retryAfter {
                return .answered(.throttled(retryAfter: left))
            }
            throw PasscodeError(error)
        }
        switch outcome {
        case .right:
            return try await adopt(passcode, record, before: before)
        case .wrong(_, let retryAfter):
            let answer = try await reject(record)
            guard case .wrong(let failures, let own) = answer else { return .answered(answer) }
            return .answered(.wrong(failures: failures, retryAfter: max(own, retryAfter)))
        case .notSet:
            try await refund(record, before)
            throw Self.switchedOff
        }
    }

    /// Seals a new key under a passcode that the account has confirmed. If the passcode opens the sealed key
    /// in the record, that key stays and no new key is made.
    private func adopt(
        _ passcode: SecretBytes,
        _ record: PasscodeRecord,
        before: Throttle
    ) async throws(PasscodeError) -> Confirmation {
        var kept: SecretBytes?
        if case .sealed = record.credential {
            switch try await open(record, with: passcode, before: before) {
            case .opened(let key): kept = key
            case .wrongPasscode: break
            // The sealer refuses further tries, so the old key cannot be opened now. The old key is kept,
            // because a new key would not open the data that the old key protects.
            case .triesExhausted: return .answered(.triesExhausted)
            }
        }
        let key = kept ?? SecretBytes(randomCount: 32)
        let credential: PasscodeRecord.Credential
        do throws(PasscodeError) {
            credential = kept == nil ? .sealed(try await seal(key, under: passcode)) : record.credential
        } catch {
            // The account has said that the passcode is right, so the try is refunded.
            try? await refund(record, before)
            throw error
        }
        let event = AccountRules.Event.confirmed(
            credential,
            format: record.askedFormat(configured: configuration.format),
            keepsKey: kept != nil
        )
        let confirmed: PasscodeRecord? = try await records.update { found throws(PasscodeError) in
            guard let found, found.account == record.account, found.credential == record.credential,
                let new = rules.after(event, found).record
            else { return .keep(nil) }
            return .write(new, new)
        }
        return confirmed.map { .confirmed($0, key) } ?? .overtaken
    }
}
