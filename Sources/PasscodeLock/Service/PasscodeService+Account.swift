internal import AdapterKit
public import PortcullisCore

/// Sharing a passcode with an account: the first login, changes on other devices, and lost answers.
extension PasscodeService {
    /// Whether the passcode is shared with an account, which can also send a reset mail.
    public var hasAccount: Bool { account != nil }

    var rules: AccountRules { AccountRules(blank: newRecord(.account, configuration.format)) }

    /// Asks the account for its status and applies it to the record. The app calls this after the person has
    /// signed in, when the app starts or returns to the front, and when the network is available again.
    ///
    /// If the answer to an act was lost, the status shows whether the act was carried out. A status never
    /// unlocks the app. A passcode becomes valid on this device only if the person entered it here and the
    /// account confirmed it.
    ///
    /// If the passcode is removed during the call, as by a log-out, the status makes no new record. The next
    /// call makes one.
    ///
    /// - Returns: the account's report; `nil` without an account.
    /// - Throws: ``PasscodeErrorCode/account`` when the account does not answer; ``PasscodeError`` when the
    ///   record cannot be read or written. If an error is thrown, nothing changes.
    @discardableResult
    public func synchronise() async throws(PasscodeError) -> AccountReport? {
        guard let account else { return nil }
        // If this call is a part of an act, the sealer is asked at the end of that act.
        if SealsOfAct.current != nil { return try await hear(account) }
        return try await settling { () async throws(PasscodeError) -> AccountReport in
            try await hear(account)
        }
    }

    private func hear(_ account: any PasscodeAccount) async throws(PasscodeError) -> AccountReport {
        var hadPasscode = false
        while true {
            let record = try await records.read()
            // The record of a first passcode that is being set does not count. It is also removed if the
            // account refuses that passcode. A status may then make a record.
            if let record, record.credential != .none { hadPasscode = true }
            let (before, wasSet) = (record?.account, hadPasscode)
            // While an act is under way, the account may answer with its status from before the act. So this
            // method first waits for the answer to the act.
            if let act = before?.act, await awaitedActs.answer(to: act.revision) { continue }
            let status: AccountPasscodeStatus
            do { status = try await account.status() } catch { throw PasscodeError(error) }
            let event = AccountRules.Event.heard(status, fresh: .random())
            let notices = try await records.update {
                found throws(PasscodeError) -> RecordStore.Change<[AccountNotice]?> in
                // The passcode was removed since this call began, as by a log-out.
                if wasSet, found == nil { return .keep([]) }
                // If an act began or ended meanwhile, this status may be older than the record. So the status
                // is dropped, and the account is asked again.
                guard found?.account == before else { return .keep(nil) }
                let (record, notices) = rules.after(event, found)
                return .to(record, from: found, notices)
            }
            guard let notices else { continue }
            return AccountReport(
                hasPasscode: status.hasPasscode,
                isEnabled: status.isEnabled,
                notices: notices
            )
        }
    }

    /// Sends a passcode that was set while the account could not be reached. The call does nothing when no
    /// upload is pending.
    ///
    /// A passcode is never stored, so it can only be sent right after it was entered. The app calls this with
    /// a passcode that has just been accepted. An app that uses ``AppLock`` does not need this call, because
    /// the lock sends the passcode itself.
    ///
    /// - Parameter passcode: the passcode; counted like every other try.
    /// - Throws: the errors of ``verify(_:)``; ``PasscodeErrorCode/account`` when the passcode could not be
    ///   sent. The upload then stays pending.
    public func push(_ passcode: SecretBytes) async throws(PasscodeError) {
        guard let account, case .pendingUpload? = try await records.read()?.account?.standing else { return }
        _ = try await noting(.verify) { () throws(PasscodeError) in
            try await attempt(passcode) { record, _ throws(PasscodeError) in
                try await deliver(passcode, record, to: account)
                return .keepRecord
            }
        }
    }

    // MARK: Reset by mail

    /// Asks the account to send a reset code to the person's mail address.
    ///
    /// - Returns: the request, which the screen keeps and hands to ``reset(code:of:to:)`` with the code.
    /// - Throws: ``PasscodeErrorCode/account`` when there is no account, or when the account did not answer
    ///   or did not accept the request.
    public func requestReset() async throws(PasscodeError) -> AccountCodeRequest {
        guard let account else { throw Self.noAccount }
        do { return try await account.requestReset() } catch { throw PasscodeError(error) }
    }

    /// Sets another passcode with a code from a mail.
    ///
    /// The passcode gets a new key. Data protected with the old key can no longer be opened.
    ///
    /// - Parameters:
    ///   - code: the reset code, six digits.
    ///   - request: the value that ``requestReset()`` returned when the code was sent.
    ///   - new: the new passcode, in the configured format. It is checked before the code is used.
    /// - Throws: ``PasscodeErrorCode/wrongFormat``, ``PasscodeErrorCode/easilyGuessed``;
    ///   ``PasscodeErrorCode/account`` when the account did not set the passcode, when it did not answer, or
    ///   when a passcode was set, changed or removed on this device meanwhile; ``PasscodeErrorCode/sealer``
    ///   when the sealer fails; ``PasscodeErrorCode/store`` when the store fails. If an error is thrown, the
    ///   new passcode is not set on this device.
    public func reset(
        code: SecretBytes,
        of request: AccountCodeRequest,
        to new: SecretBytes
    ) async throws(PasscodeError) -> PasscodeResetAnswer {
        let answer = try await noting(.reset) { () throws(PasscodeError) in
            try await redeem(code, of: request, for: new)
        }
        if case .reset = answer { note(.reset) }
        return answer
    }

    private func redeem(
        _ code: SecretBytes,
        of request: AccountCodeRequest,
        for new: SecretBytes
    ) async throws(PasscodeError) -> PasscodeResetAnswer {
        try check(new: new)
        try check(code, against: .digits(6))
        guard let account else { throw Self.noAccount }
        // The answers of the account take time. So a record that a log-out removes meanwhile counts as well.
        var hadRecord = try await records.read().map { $0.credential != .none } ?? false
        if try await settleFirst() == .reset, case .right(let proof) = try await probe(new) {
            return .reset(proof)
        }
        // The status may have made a record, or removed that of a first passcode that was not sent.
        if !hadRecord { hadRecord = try await records.read() != nil }
        let key = SecretBytes(randomCount: 32)
        let candidate = try await seal(key, under: new)
        let act = act(.reset, candidate)
        let answer = try await sending(act, hadRecord: hadRecord) { () async throws(PasscodeAccountError) in
            try await account.reset(code: code, of: request, to: new, as: act.revision)
        }
        guard let (outcome, since) = answer else { throw Self.overtaken }
        guard case .reset = outcome else {
            try await take(.failed(act))
            return outcome == .expired ? .expired : outcome == .usedUp ? .usedUp : .refused
        }
        try await take(.carriedOut(act, since: since))
        guard let record = try await records.read(), record.credential == .sealed(candidate) else {
            throw Self.overtaken
        }
        if let choice = record.biometrics { await renewBiometrics(choice, key, of: record.credential) }
        return .reset(UnlockProof(user: user, key: key, method: .resetCode))
    }

    /// Sets another passcode without the current one, and clears the count of failures. The method is meant
    /// for a server that has checked a code.
    ///
    /// The passcode gets a new key.
    ///
    /// - Parameter new: the new passcode, in the configured format.
    /// - Throws: the errors of ``set(_:)``, except ``PasscodeErrorCode/alreadySet``;
    ///   ``PasscodeErrorCode/account`` when an account shares the passcode. If an error is thrown, the old
    ///   passcode stays.
    @discardableResult
    public func replace(with new: SecretBytes) async throws(PasscodeError) -> UnlockProof {
        let key = SecretBytes(randomCount: 32)
        try await noting(.reset) { () throws(PasscodeError) in
            try check(new: new)
            let fresh = newRecord(.sealed(try await seal(key, under: new)), configuration.format)
            try await records.update { found throws(PasscodeError) -> RecordStore.Change<Void> in
                SealsOfAct.current?.found(found)
                // This device alone would get the new passcode. The account would keep the old one.
                if found?.account != nil { throw Self.sharedWithAccount }
                var record = found ?? fresh
                record.credential = fresh.credential
                record.format = fresh.format
                record.throttle.clear()
                record.biometrics?.enrolmentDigest = nil
                return .write(record, ())
            }
        }
        note(.reset)
        return UnlockProof(user: user, key: key, method: .passcode)
    }
}

/// The result of an attempt to reset the passcode with a code.
public enum PasscodeResetAnswer: Sendable {
    /// The new passcode is set.
    case reset(UnlockProof)
    /// The code is wrong, or the account does not say why it refuses the code.
    case refused
    /// The code has expired. The person has to request another code.
    case expired
    /// The code was used already, or there were too many tries. The person has to request another code.
    case usedUp
}
