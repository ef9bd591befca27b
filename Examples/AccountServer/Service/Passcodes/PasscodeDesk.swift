internal import PasscodeLock
internal import PortcullisCore

/// The acts on the passcodes of accounts: each takes effect as a whole, with its revision, or not at all.
///
/// The engine handles the passcodes: it counts a try before it derives a key, with one throttle for all
/// processes on the store. This type adds the account's revision, and writes it to disk in one batch with
/// each change.
struct PasscodeDesk: Sendable {
    let items: ServerItems
    let sealer: any PasscodeSealer
    let clock: any LockClock
    let pool: DerivationPool
    let codes: CodeDesk
    let sessions: SessionDesk
    /// The policy for wrong passcodes.
    let throttle: ThrottlePolicy
    /// How much the clocks of the servers can differ.
    let clockMargin: Duration

    /// How a verification ended.
    enum Verdict: Sendable, Hashable {
        case right
        case wrong(failures: Int, retryAfter: Duration)
        case notSet
    }

    func service(
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
                throttle: throttle,
                clockMargin: clockMargin
            )
        )
    }

    func found(_ user: UserID) async throws(SecretStoreError) -> Found<AccountRecord> {
        try await items.read(items.accountName(user), or: AccountRecord())
    }

    /// Returns the record of a session's account, under whose version an act is committed.
    ///
    /// An act waits for its turn and derives keys, and a conflict begins it anew. So the session may have
    /// ended since the request was taken, and an administrator's call may have restricted the account.
    ///
    /// - Throws: the problem that a new request would be answered with.
    private func found(
        in session: SessionDesk.Open,
        setsPasscode: Bool = true
    ) async throws -> Found<AccountRecord> {
        let look = try await sessions.look(at: session)
        try look.account.check(setsPasscode: setsPasscode)
        return look.record
    }

    func passcodeCondition(_ user: UserID) async throws(SecretStoreError) -> WritePrecondition {
        try await items.store.read(PasscodeNames.record(of: user)).map { .version($0.version) } ?? .absent
    }

    /// Returns whether there is a passcode, and the account's record.
    func status(_ user: UserID) async throws -> (hasPasscode: Bool, record: AccountRecord) {
        let (found, passcode) = try await items.read(
            items.accountName(user),
            or: AccountRecord(),
            with: PasscodeNames.record(of: user)
        )
        return (passcode.stored != nil, found.record)
    }

    // MARK: Acts

    // A client repeats an act, with the same revision, if the first answer got lost. The repetition is
    // answered as done. What was sent is still checked, and the account must be in the state that the act
    // leaves: with a passcode, or without one.

    /// Sets the first passcode.
    ///
    /// - Returns: whether the passcode is set; `false` if there is one already.
    func set(
        _ new: SecretBytes,
        in session: SessionDesk.Open,
        as revision: AccountRevision
    ) async throws -> Bool {
        let account = session.account.id
        try service(account, on: items.store).check(new: new)
        while true {
            let found = try await found(in: session)
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
        in session: SessionDesk.Open,
        as revision: AccountRevision
    ) async throws -> Verdict {
        let user = session.account.id
        let service = try service(user, on: items.store)
        for passcode in [current, new] { try service.check(new: passcode) }
        return try await pool.enter(for: user) {
            while true {
                let found = try await found(in: session)
                if found.record.revision == revision, try await passcodeCondition(user) != .absent {
                    return .right
                }
                let verdict = try await tryOnce(current, for: user)
                guard verdict == .right else { return verdict }
                let change = try await sealed(new, for: user)
                if try await replace(change, over: found, for: user, as: revision) { return .right }
            }
        }
    }

    /// Checks a passcode.
    ///
    /// The record that was read with the session is used, so that it is not read twice. If it has changed
    /// since, the write that counts the try detects this. If other requests of the account come first, they
    /// change the record, and the session may end meanwhile. So both are read again.
    func verify(_ passcode: SecretBytes, in session: SessionDesk.Open) async throws -> Verdict {
        let user = session.account.id
        let known = pool.isBusy(with: user) ? nil : session.passcode
        return try await pool.enter(for: user) {
            if known == nil { _ = try await found(in: session, setsPasscode: false) }
            return try await tryOnce(passcode, for: user, on: KnownItemStore(items.store, known: known))
        }
    }

    /// Removes the passcode.
    func switchOff(
        _ current: SecretBytes,
        in session: SessionDesk.Open,
        as revision: AccountRevision
    ) async throws -> Verdict {
        let user = session.account.id
        try service(user, on: items.store).check(new: current)
        return try await pool.enter(for: user) {
            while true {
                let found = try await found(in: session, setsPasscode: false)
                if found.record.revision == revision, try await passcodeCondition(user) == .absent {
                    return .right
                }
                let verdict = try await tryOnce(current, for: user)
                guard verdict == .right else { return verdict }
                let removal: Change = { .remove(PasscodeNames.record(of: user), if: $0) }
                if try await replace(removal, over: found, for: user, as: revision) { return .right }
            }
        }
    }

    /// Records a timeout.
    func setTimeout(_ timeout: AccountTimeout, in session: SessionDesk.Open) async throws {
        let name = items.accountName(session.account.id)
        while true {
            var found = try await found(in: session, setsPasscode: false)
            found.record.timeout = timeout
            let change = try items.writing(found.record, to: name, if: found.condition)
            if try await items.commit([change]).isEmpty { return }
        }
    }

    // MARK: Parts

    /// A change of the passcode's item under a precondition.
    typealias Change = @Sendable (WritePrecondition) -> SecretChange?

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
        // These cases cannot occur: the policy has no limit, and the sealer has no hardware.
        case .limitReached, .triesExhausted: throw Problem.failed
        }
    }

    /// Returns the change that sets a passcode, without making it.
    func sealed(_ new: SecretBytes, for user: UserID) async throws -> Change {
        let staged = StagedStore()
        try await service(user, on: staged).set(new)
        return { staged.change(if: $0) }
    }

    func recording(
        _ revision: AccountRevision,
        over found: Found<AccountRecord>,
        for user: UserID
    ) throws(SecretStoreError) -> SecretChange {
        var record = found.record
        record.revision = revision
        return try items.writing(record, to: items.accountName(user), if: found.condition)
    }

    /// Commits a change of the passcode with its revision, after the present passcode was entered.
    ///
    /// - Returns: `false` if the account has changed meanwhile. The entered passcode may then be out of date.
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
            // A conflict on the passcode's item alone may be another counted try. So only the commit is
            // repeated.
            if conflicts.contains(items.accountName(user)) { return false }
        }
    }
}
