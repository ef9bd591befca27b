internal import PasscodeLock
internal import PortcullisCore

extension PasscodeDesk {
    /// Sets a new passcode with a mailed code, without the old passcode.
    ///
    /// For an address without an account the work is the same up to the comparison, which then fails. Without
    /// a session the code is checked before the revision, because only a person with the code may learn
    /// whether a revision is the present one.
    ///
    /// - Returns: whether the passcode is set; `false` if the code was wrong, expired, used, or tried too
    ///   often.
    func reset(
        _ code: SecretBytes,
        for request: AccountCodeRequest,
        to new: SecretBytes,
        of owner: CodeOwner,
        as revision: AccountRevision
    ) async throws -> Bool {
        // Without a session only the right code leads to the account's turn, so strangers cannot fill its
        // places.
        try await pool.enter(for: owner.session?.account.id) {
            // Without an account, the record of `.device` is read. The work is the same, and the result is
            // not used.
            let user = owner.account?.id ?? .device
            try service(user, on: items.store).check(new: new)
            let present = try await found(user).record.revision
            if owner.session != nil, present == revision, try await passcodeCondition(user) != .absent {
                return true
            }
            guard let code = try await codes.attempt(code, for: request, of: owner), owner.account != nil
            else {
                return false
            }
            // If the code was used for this very reset, the first answer got lost and is given again.
            if let used = code.usedAs { return used == revision && present == revision }
            let change: Change
            do {
                change = try await pool.turn(of: owner.session == nil ? user : nil) {
                    try await sealed(new, for: user)
                }
            } catch let problem as Problem where problem == .busy {
                // The refusal tells that the code is right, so the try that is given back tells no more.
                try await codes.takeBackTry(of: code, owner)
                throw problem
            }
            return try await commit(change, code, of: owner, user, as: revision)
        }
    }

    /// Sets the sealed passcode, uses the code up, and ends all other sessions, because one may be a thief's.
    ///
    /// - Returns: `false` if the code was used meanwhile, or if an administrator's call has restricted the
    ///   account and there is no session. Nothing is changed then.
    /// - Throws: the problem if the session of the reset has ended or its account was restricted meanwhile.
    ///   Nothing is changed then.
    private func commit(
        _ change: Change,
        _ code: MailedCodes.Code,
        of owner: CodeOwner,
        _ user: UserID,
        as revision: AccountRevision
    ) async throws -> Bool {
        while true {
            var found: Found<AccountRecord>
            var inSession: Found<SessionRecord>?
            if let session = owner.session {
                let look = try await sessions.look(at: session)
                try look.account.check(setsPasscode: true)
                found = look.record
                inSession = look.session
            } else {
                found = try await self.found(user)
                let account = sessions.accounts[user]?.restricted(by: found.record)
                guard account?.takesPasscode == true else { return false }
            }
            if found.record.revision == revision { return true }
            guard let redeemed = try await codes.redeeming(code, of: owner, as: revision) else {
                return false
            }
            guard let passcode = change(try await passcodeCondition(user)) else { throw Problem.failed }
            found.record.raiseEpoch()
            let record = try recording(revision, over: found, for: user)
            var changes = [passcode, record, redeemed]
            if let session = owner.session, let inSession {
                changes.append(try sessions.continuing(session, inSession, in: found.record.epoch))
            }
            if try await items.commit(changes).isEmpty { return true }
        }
    }
}
