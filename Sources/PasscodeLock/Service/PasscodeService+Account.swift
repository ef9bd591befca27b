internal import AdapterKit
public import PortcullisCore

/// The account that a passcode is shared with: first login, what changed elsewhere, what was lost on the way.
extension PasscodeService {
    /// Whether there is an account behind the passcode, and so a reset by mail.
    public var hasAccount: Bool { account != nil }

    var rules: AccountRules { AccountRules(blank: newRecord(.account, configuration.format)) }

    /// Asks the account how things stand, and takes over what it tells: call it when the person has signed in, when
    /// the app starts or comes back, and when the network does.
    ///
    /// It finds out what became of an act whose answer was lost. Whatever the account tells, what is locked stays
    /// locked, and no other passcode becomes right than those that the person gave on this device and the account
    /// confirmed.
    ///
    /// - Returns: what it told; `nil` without an account.
    /// - Throws: ``PasscodeErrorCode/account`` when it does not answer; ``PasscodeError`` when the record cannot be
    ///   read or written. Nothing changes then.
    @discardableResult
    public func synchronise() async throws(PasscodeError) -> AccountReport? {
        guard let account else { return nil }
        while true {
            let before = try await records.read()?.account
            // What the account tells now may be from before the act's arrival.
            if let act = before?.act, await awaitedActs.answer(to: act.revision) { continue }
            let status: AccountPasscodeStatus
            do { status = try await account.status() } catch { throw PasscodeError(error) }
            let event = AccountRules.Event.heard(status, fresh: .random())
            let notices = try await records.update {
                found throws(PasscodeError) -> RecordStore.Change<[AccountNotice]?> in
                // An act that ended meanwhile is newer than what was told.
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

    /// Sends a passcode that was set while the account could not be reached; does nothing when no upload is pending.
    ///
    /// A passcode is never kept, so it can only be sent while it is at hand: call this with the passcode right after
    /// it opened something. ``AppLock`` does.
    ///
    /// - Parameter passcode: counted like any other try.
    /// - Throws: as ``verify(_:)`` does; ``PasscodeErrorCode/account`` when it could not be sent, and it is tried
    ///   again the next time.
    public func push(_ passcode: SecretBytes) async throws(PasscodeError) {
        guard let account, case .pendingUpload? = try await records.read()?.account?.standing else { return }
        _ = try await attempt(passcode) { record, _ throws(PasscodeError) in
            do throws(PasscodeError) { try await deliver(passcode, record, to: account) } catch {
                return .fail(error)
            }
            return .keepRecord
        }
    }

    // MARK: The way out by mail

    /// Has a reset code sent to the person's mail address.
    ///
    /// - Returns: what ``reset(code:of:to:)`` takes with the code; the screen that asks for the code keeps it.
    /// - Throws: ``PasscodeErrorCode/account``.
    public func requestReset() async throws(PasscodeError) -> AccountCodeRequest {
        guard let account else { throw Self.noAccount }
        do { return try await account.requestReset() } catch { throw PasscodeError(error) }
    }

    /// Sets another passcode with a code from a mail.
    ///
    /// The key is a new one: what was protected with the old one does not open any more.
    ///
    /// - Parameters:
    ///   - code: six digits.
    ///   - request: what ``requestReset()`` returned when the code was sent.
    ///   - new: in the configured format; looked at first.
    /// - Throws: ``PasscodeErrorCode/wrongFormat``, ``PasscodeErrorCode/easilyGuessed``;
    ///   ``PasscodeErrorCode/account`` when the account did not do it or did not answer;
    ///   ``PasscodeErrorCode/sealer`` and ``PasscodeErrorCode/store``. The old passcode holds then.
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
        if try await settleFirst() == .reset, case .right(let proof) = try await attempt(new) {
            return .reset(proof)
        }
        let key = SecretBytes(randomCount: 32)
        let act = act(.reset, try await seal(key, under: new))
        try await take(.began(act))
        let outcome = try await sending(act) { () async throws(PasscodeAccountError) in
            try await account.reset(code: code, of: request, to: new, as: act.revision)
        }
        guard case .reset = outcome else {
            try await take(.failed(act))
            return outcome == .expired ? .expired : outcome == .usedUp ? .usedUp : .refused
        }
        try await take(.carriedOut(act))
        if let choice = try? await records.read()?.biometrics { try? await renewBiometrics(choice, key) }
        return .reset(UnlockProof(user: user, key: key, method: .resetCode))
    }

    /// Sets another passcode whatever the one so far, and clears the count: for a server that has checked a code.
    ///
    /// The key is a new one.
    ///
    /// - Parameter new: in the configured format.
    /// - Throws: as ``set(_:)`` does; never ``PasscodeErrorCode/alreadySet``.
    @discardableResult
    public func replace(with new: SecretBytes) async throws(PasscodeError) -> UnlockProof {
        let key = SecretBytes(randomCount: 32)
        try await noting(.reset) { () throws(PasscodeError) in
            try check(new: new)
            let fresh = newRecord(.sealed(try await seal(key, under: new)), configuration.format)
            try await records.update { found throws(PasscodeError) -> RecordStore.Change<Void> in
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

/// What became of a reset code.
public enum PasscodeResetAnswer: Sendable {
    /// The new passcode is set.
    case reset(UnlockProof)
    /// It is not the code.
    case refused
    /// It is too old; another has to be requested.
    case expired
    /// It was used or tried too often; another has to be requested.
    case usedUp
}
