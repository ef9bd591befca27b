internal import AdapterKit
internal import PortcullisCore

/// The acts that a person requests from the account. An act is written to the record first, and then sent.
/// The answer says whether the act was carried out. After the answer, the act is removed from the record.
///
/// If the process is killed before the answer comes, ``PasscodeService/synchronise()`` learns the outcome of
/// the act from the account's status.
extension PasscodeService {
    static let noAccount = PasscodeError(
        PasscodeAccountError(code: .unavailable, message: "There is no account behind this passcode.")
    )

    static let sharedWithAccount = PasscodeError(
        PasscodeAccountError(
            code: .unavailable,
            message: "an account shares this passcode; only the app with that account changes or removes it"
        )
    )

    func act(_ kind: AccountAct, _ candidate: SealedKey?) -> AccountShare.Act {
        AccountShare.Act(
            kind: kind,
            revision: .random(),
            candidate: candidate,
            format: configuration.format
        )
    }

    /// Applies an event to the stored record.
    ///
    /// - Returns: the account's part of the new record; `nil` if there is none.
    @discardableResult
    func take(_ event: AccountRules.Event) async throws(PasscodeError) -> AccountShare? {
        try await records.update { found throws(PasscodeError) -> RecordStore.Change<AccountShare?> in
            let record = rules.after(event, found).record
            return .to(record, from: found, record?.account)
        }
    }

    /// Asks the account for its status before another act begins. The account is asked only if the answer to
    /// an earlier act is unknown, or if the record says nothing about the account yet.
    ///
    /// - Returns: the kind of the earlier act if the account has carried it out, otherwise `nil`.
    func settleFirst() async throws(PasscodeError) -> AccountAct? {
        guard let record = try await records.read(), record.account == nil || record.account?.act != nil
        else {
            return nil
        }
        for case .carriedOut(let act) in try await synchronise()?.notices ?? [] { return act }
        return nil
    }

    /// Checks whether the new passcode of an act is right already. This is the case if the person repeats an
    /// earlier act, whose answer was lost and which the account has carried out.
    ///
    /// The person did not enter the passcode as the current one, so a wrong one is no failure. The counted
    /// try is refunded and not reported as an event. That gives at most one free guess for each act, because
    /// ``settleFirst()`` returns each act once.
    func probe(_ new: SecretBytes) async throws(PasscodeError) -> PasscodeAnswer {
        let answer = try await judge(new, for: .probe) { _, _ throws(PasscodeError) in .keepRecord }.answer
        if case .wrong = answer { return answer }
        if answer.isRight { note(.tried) }
        note(answer: answer)
        return answer
    }

    /// Writes an act to the record, and sends it.
    ///
    /// If the act was certainly not carried out, it is removed from the record. If it is unknown whether the
    /// act was carried out, the act stays in the record until a status of the account shows the outcome.
    ///
    /// - Parameters:
    ///   - act: the act.
    ///   - hadRecord: whether there was a record before the act was prepared.
    ///   - send: sends the act.
    /// - Returns: the account's answer, and the account revision that the record held when the act began;
    ///   `nil` if the record was removed meanwhile, or another process has begun to set a first passcode. The
    ///   act was then not sent.
    func sending<Outcome: Sendable>(
        _ act: AccountShare.Act,
        hadRecord: Bool,
        _ send: () async throws(PasscodeAccountError) -> Outcome
    ) async throws(PasscodeError) -> (outcome: Outcome, since: AccountRevision?)? {
        try await awaitedActs.during(act.revision) {
            () async throws(PasscodeError) -> (outcome: Outcome, since: AccountRevision?)? in
            let share = try await take(.began(act, hadRecord: hadRecord))
            guard let share, share.act == act else { return nil }
            do throws(PasscodeAccountError) {
                return (outcome: try await send(), since: share.revision)
            } catch {
                if error.code != .outcomeUnknown { try await take(.failed(act)) }
                throw PasscodeError(error)
            }
        }
    }

    // MARK: Set

    func set(
        _ passcode: SecretBytes,
        with account: any PasscodeAccount
    ) async throws(PasscodeError) -> UnlockProof {
        let key = SecretBytes(randomCount: 32)
        let candidate = try await seal(key, under: passcode)
        let act = act(.set, candidate)
        typealias SetResult = Result<AccountSetOutcome, PasscodeAccountError>
        let (outcome, since) = try await awaitedActs.during(act.revision) {
            () async throws(PasscodeError) -> (SetResult, AccountRevision?) in
            let since = try await beginSet(act)
            do throws(PasscodeAccountError) {
                return (.success(try await account.set(passcode, as: act.revision)), since)
            } catch {
                return (.failure(error), since)
            }
        }
        switch outcome {
        case .success(.set):
            try await take(.carriedOut(act, since: since))
        case .success(.alreadySet):
            try await take(.contradicted)
            throw PasscodeError(code: .alreadySet, message: "a passcode was set on another device")
        case .failure(let error) where error.code == .unreachable || error.code == .outcomeUnknown:
            try await take(.postponed(act, wasSent: error.code == .outcomeUnknown))
        case .failure(let error):
            try await take(.failed(act))
            throw PasscodeError(error)
        }
        guard try await records.read()?.credential == .sealed(candidate) else { throw Self.overtaken }
        return UnlockProof(user: user, key: key, method: .passcode)
    }

    /// Adds to the record the act that sets the first passcode. The device sends the act afterwards.
    ///
    /// - Returns: the account revision that the record held.
    /// - Throws: ``PasscodeErrorCode/alreadySet`` when the record has a passcode or the app is locked.
    private func beginSet(_ act: AccountShare.Act) async throws(PasscodeError) -> AccountRevision? {
        try await records.update { found throws(PasscodeError) -> RecordStore.Change<AccountRevision?> in
            // A passcode that was switched off elsewhere may be replaced, but only while the app is not
            // locked.
            guard found?.isSet != true, found?.lock.isLocked != true else { throw Self.alreadySet }
            let record = rules.after(.began(act, hadRecord: false), found).record
            return .to(record, from: found, record?.account?.revision)
        }
    }

    /// The error for an act whose passcode or new key is no longer in the record, because the passcode was
    /// changed meanwhile.
    static let overtaken = PasscodeError(
        PasscodeAccountError(code: .conflict, message: "the passcode was changed meanwhile; try again")
    )

    /// Sends a passcode whose upload is pending.
    func deliver(
        _ passcode: SecretBytes,
        _ record: PasscodeRecord,
        to account: any PasscodeAccount
    ) async throws(PasscodeError) {
        guard case .pendingUpload(let revision, let wasSent)? = record.account?.standing else { return }
        let share = try await take(.uploadBegan(revision))
        guard case .pendingUpload(revision, _)? = share?.standing else {
            // Another process has sent this passcode, or has replaced it meanwhile.
            if share?.standing == .confirmed, share?.revision == revision { return }
            throw Self.overtaken
        }
        let outcome: AccountSetOutcome
        do {
            outcome = try await account.set(passcode, as: revision)
        } catch {
            if error.code == .outcomeUnknown {
                // Another process may have failed to send the same passcode meanwhile, and then recorded
                // that the account did not receive it. But this request may have reached the account. So
                // the record must say again that the passcode was sent.
                try await take(.uploadBegan(revision))
            } else if !wasSent {
                try await take(.uploadFailed(revision))
            }
            throw PasscodeError(error)
        }
        switch outcome {
        case .set:
            try await take(.uploadDone(revision))
        case .alreadySet:
            try await take(.contradicted)
            throw PasscodeError(
                PasscodeAccountError(code: .conflict, message: "a passcode was set on another device")
            )
        }
    }

    // MARK: Change and switch off

    func change(
        _ record: PasscodeRecord,
        from current: SecretBytes,
        to new: SecretBytes,
        key: SecretBytes,
        with account: any PasscodeAccount
    ) async throws(PasscodeError) -> Consequence {
        let candidate = try await seal(key, under: new, replacing: record.credential)
        do throws(PasscodeError) {
            try await deliver(current, record, to: account)
        } catch {
            guard isOnlyHere(record, error) else { return .fail(error) }
            return .account(.pendingUploadReplaced(candidate, format: configuration.format, fresh: .random()))
        }
        return try await carryOut(act(.change, candidate), record) {
            (act) async throws(PasscodeAccountError) in
            try await account.change(from: current, to: new, as: act.revision)
        }
    }

    func switchOff(
        _ record: PasscodeRecord,
        _ current: SecretBytes,
        with account: any PasscodeAccount
    ) async throws(PasscodeError) -> Consequence {
        // If the passcode was never sent to the account, it has to be removed on this device only.
        if case .pendingUpload(_, wasSent: false)? = record.account?.standing { return .remove }
        do throws(PasscodeError) { try await deliver(current, record, to: account) } catch {
            return .fail(error)
        }
        return try await carryOut(act(.switchOff, nil), record) {
            (act) async throws(PasscodeAccountError) in
            try await account.update(.switchOff(current: current, revision: act.revision))
        }
    }

    /// Whether the passcode was never sent to the account, and the error says that the account cannot be
    /// reached now.
    private func isOnlyHere(_ record: PasscodeRecord, _ error: PasscodeError) -> Bool {
        guard case .pendingUpload(_, wasSent: false)? = record.account?.standing else { return false }
        return (error.cause as? PasscodeAccountError)?.code == .unreachable
    }

    private func carryOut(
        _ act: AccountShare.Act,
        _ record: PasscodeRecord,
        _ send: (AccountShare.Act) async throws(PasscodeAccountError) -> AccountVerifyOutcome
    ) async throws(PasscodeError) -> Consequence {
        let reply: (outcome: AccountVerifyOutcome, since: AccountRevision?)?
        do throws(PasscodeError) {
            reply = try await sending(act, hadRecord: true) { () async throws(PasscodeAccountError) in
                try await send(act)
            }
        } catch {
            return .fail(error)
        }
        guard let (outcome, since) = reply else { return .answer(.notSet) }
        switch outcome {
        case .right:
            return .account(.carriedOut(act, since: since))
        case .wrong(_, let retryAfter):
            // The passcode is right on this device but wrong for the account, so another device has changed
            // the account's passcode.
            try await take(.contradicted)
            return .answer(.wrong(failures: record.throttle.failures, retryAfter: retryAfter))
        case .notSet:
            try await take(.failed(act))
            try await synchronise()
            return .fail(Self.switchedOff)
        }
    }

    static let switchedOff = PasscodeError(
        PasscodeAccountError(code: .conflict, message: "the passcode was switched off on another device")
    )

    /// Switches biometrics off if the passcode was switched off elsewhere.
    ///
    /// The record itself stays, because the app may be locked in another process of the user. If the record
    /// were removed, that process would unlock without a passcode. A right passcode or a log-out removes the
    /// record, and a new passcode replaces it.
    func dropBiometricsOfSwitchedOff() async throws(PasscodeError) {
        let isDropped: Bool = try await records.update { found throws(PasscodeError) in
            guard var record = found, record.account?.isSwitchedOff == true, record.biometrics != nil else {
                return .keep(false)
            }
            record.biometrics = nil
            return .write(record, true)
        }
        // An error of the authenticator is not thrown. The session would take the error for a failed read of
        // the passcode's state, and would lock the app.
        if isDropped { await forgetBiometricsIfPossible() }
    }

    // MARK: Settings

    func send(_ timeout: LockTimeout, to account: any PasscodeAccount) async throws(PasscodeError) {
        let shared = AccountTimeout(timeout)
        do { _ = try await account.update(.timeout(shared)) } catch { throw PasscodeError(error) }
        try await edit { record in
            record.timeout = timeout
            record.account?.timeout = shared
        }
    }
}
