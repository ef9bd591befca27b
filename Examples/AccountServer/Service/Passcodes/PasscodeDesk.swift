internal import PasscodeLock
internal import PortcullisCore

/// The acts on the passcodes of accounts: each takes effect as a whole, with its revision, or not at all.
///
/// Passcodes are the engine's: it counts before it derives, under one throttle for all processes on the store. What is
/// added here is the account's revision, and that a change goes to disk in one batch with it.
struct PasscodeDesk: Sendable {
    let items: ServerItems
    let sealer: any PasscodeSealer
    let clock: any LockClock
    let pool: DerivationPool
    let codes: CodeDesk
    let sessions: SessionDesk
    /// What wrong passcodes lead to.
    let throttle: ThrottlePolicy

    /// How a verification ended.
    enum Verdict: Sendable, Hashable {
        case right
        case wrong(failures: Int, retryAfter: Duration)
        case notSet
    }

    private func service(
        _ user: UserID,
        on store: any SecretStore
    ) throws(PasscodeError) -> PasscodeService {
        try PasscodeService(
            user: user,
            backends: Backends(secrets: store, sealer: sealer, clock: clock),
            session: FixedSession(nil),
            configuration: PasscodeConfiguration(
                appName: "Accounts",
                weakPasscodes: .allow,
                throttle: throttle
            )
        )
    }

    private func found(_ user: UserID) async throws(SecretStoreError) -> Found<AccountRecord> {
        try await items.read(items.accountName(user), or: AccountRecord())
    }

    private func passcodeCondition(_ user: UserID) async throws(SecretStoreError) -> WritePrecondition {
        try await items.store.read(PasscodeNames.record(of: user)).map { .version($0.version) } ?? .absent
    }

    /// Whether a passcode is there, and what the account says of it.
    func status(_ user: UserID) async throws -> (hasPasscode: Bool, record: AccountRecord) {
        let (found, passcode) = try await items.read(
            items.accountName(user),
            or: AccountRecord(),
            with: PasscodeNames.record(of: user)
        )
        return (passcode.stored != nil, found.record)
    }

    // MARK: Acts

    // An act that comes again with the revision that it has set is answered as done: the first answer got lost. What was
    // sent is looked at all the same, and the account must be as the act leaves it: with a passcode, or without one.

    /// Sets the first passcode.
    ///
    /// - Returns: whether it is set; `false`: there is one already.
    func set(_ new: SecretBytes, for account: Account, as revision: AccountRevision) async throws -> Bool {
        let account = account.id
        try service(account, on: items.store).check(new: new)
        while true {
            let found = try await found(account)
            let isAbsent = try await passcodeCondition(account) == .absent
            if found.record.revision == revision, !isAbsent { return true }
            guard isAbsent else { return false }
            let change = try await pool.enter(for: account) { try await sealed(new, for: account) }
            guard let passcode = change(.absent) else { throw Problem.failed }
            let record = try recording(revision, over: found, for: account)
            if try await items.commit([passcode, record]).isEmpty { return true }
        }
    }

    /// Changes the passcode.
    func change(
        from current: SecretBytes,
        to new: SecretBytes,
        for account: Account,
        as revision: AccountRevision
    ) async throws -> Verdict {
        let service = try service(account.id, on: items.store)
        for passcode in [current, new] { try service.check(new: passcode) }
        return try await pool.enter(for: account.id) {
            while true {
                let found = try await found(account.id)
                if found.record.revision == revision, try await passcodeCondition(account.id) != .absent {
                    return .right
                }
                let verdict = try await tryOnce(current, for: account.id)
                guard verdict == .right else { return verdict }
                let change = try await sealed(new, for: account.id)
                if try await replace(change, over: found, for: account.id, as: revision) { return .right }
            }
        }
    }

    /// Checks a passcode.
    ///
    /// The record that was read with the session is used, so that it is not read twice. If it has changed since, the write
    /// that counts the try finds that out. While others of the account have their turn first, it will have changed.
    func verify(_ passcode: SecretBytes, for session: SessionDesk.Open) async throws -> Verdict {
        let user = session.account.id
        let known = pool.isBusy(with: user) ? nil : session.passcode
        return try await pool.enter(for: user) {
            try await tryOnce(passcode, for: user, on: KnownItemStore(items.store, known: known))
        }
    }

    /// Removes the passcode.
    func switchOff(
        _ current: SecretBytes,
        for account: Account,
        as revision: AccountRevision
    ) async throws -> Verdict {
        try service(account.id, on: items.store).check(new: current)
        return try await pool.enter(for: account.id) {
            while true {
                let found = try await found(account.id)
                if found.record.revision == revision, try await passcodeCondition(account.id) == .absent {
                    return .right
                }
                let verdict = try await tryOnce(current, for: account.id)
                guard verdict == .right else { return verdict }
                let removal: Change = { .remove(PasscodeNames.record(of: account.id), if: $0) }
                if try await replace(removal, over: found, for: account.id, as: revision) { return .right }
            }
        }
    }

    /// Records a timeout.
    func setTimeout(_ timeout: AccountTimeout, for account: Account) async throws {
        try await sessions.accounts.update(account.id) { $0.timeout = timeout }
    }

    /// Sets another passcode with a mailed code, whatever the one so far.
    ///
    /// For an address without an account the same is done up to the comparison, which then fails. Without a session the
    /// code comes before everything: whether a revision is the present one is for those to know who have the code.
    ///
    /// - Returns: whether it is set; `false`: the code was wrong, expired, used, or tried too often.
    func reset(
        _ code: SecretBytes,
        for request: AccountCodeRequest,
        to new: SecretBytes,
        of owner: CodeOwner,
        as revision: AccountRevision
    ) async throws -> Bool {
        // Without a session only the right code leads to the account's own turn: strangers cannot fill it.
        try await pool.enter(for: owner.session?.account.id) {
            // A stranger's is looked up under a name that nobody has: the same work, and an answer that is not used.
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
            // The answer to this very reset got lost.
            if let used = code.usedAs { return used == revision && present == revision }
            let change = try await pool.turn(of: owner.session == nil ? user : nil) {
                try await sealed(new, for: user)
            }
            return try await commit(change, code, of: owner, user, as: revision)
        }
    }

    /// Sets what was sealed, uses the code up, and ends all other sessions: one of them may be a thief's.
    private func commit(
        _ change: Change,
        _ code: MailedCodes.Code,
        of owner: CodeOwner,
        _ user: UserID,
        as revision: AccountRevision
    ) async throws -> Bool {
        while true {
            var found = try await found(user)
            if found.record.revision == revision { return true }
            guard let redeemed = try await codes.redeeming(code, of: owner, as: revision) else {
                return false
            }
            guard let passcode = change(try await passcodeCondition(user)) else { throw Problem.failed }
            found.record.raiseEpoch()
            let record = try recording(revision, over: found, for: user)
            var changes = [passcode, record, redeemed]
            if let session = owner.session,
                let continued = try await sessions.continuing(session, in: found.record.epoch)
            {
                changes.append(continued)
            }
            if try await items.commit(changes).isEmpty { return true }
        }
    }

    // MARK: Parts

    /// A change of the passcode's item under a precondition.
    private typealias Change = @Sendable (WritePrecondition) -> SecretChange?

    private func tryOnce(
        _ passcode: SecretBytes,
        for user: UserID,
        on store: (any SecretStore)? = nil
    ) async throws -> Verdict {
        switch try await service(user, on: store ?? items.store).verify(passcode) {
        case .right: return .right
        case .wrong(let failures, let retryAfter):
            return .wrong(failures: failures, retryAfter: retryAfter)
        case .throttled(let retryAfter): throw Problem.throttled("Too many wrong passcodes.", retryAfter)
        case .notSet: return .notSet
        // The policy has no limit, and the sealer no hardware.
        case .limitReached, .triesExhausted: throw Problem.failed
        }
    }

    /// What setting a passcode would write.
    private func sealed(_ new: SecretBytes, for user: UserID) async throws -> Change {
        let staged = StagedStore()
        try await service(user, on: staged).set(new)
        return { staged.change(if: $0) }
    }

    private func recording(
        _ revision: AccountRevision,
        over found: Found<AccountRecord>,
        for user: UserID
    ) throws(SecretStoreError) -> SecretChange {
        var record = found.record
        record.revision = revision
        return try items.writing(record, to: items.accountName(user), if: found.condition)
    }

    /// Commits a change of a passcode that was just shown to be known, with its revision.
    ///
    /// - Returns: `false` when the account changed meanwhile: what was shown is out of date then.
    private func replace(
        _ change: Change,
        over found: Found<AccountRecord>,
        for user: UserID,
        as revision: AccountRevision
    ) async throws -> Bool {
        let record = try recording(revision, over: found, for: user)
        while true {
            guard let passcode = change(try await passcodeCondition(user)) else { throw Problem.failed }
            let conflicts = try await items.commit([passcode, record])
            if conflicts.isEmpty { return true }
            // A count of somebody's try is no reason to begin again.
            if conflicts.contains(items.accountName(user)) { return false }
        }
    }
}
