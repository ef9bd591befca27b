internal import PortcullisCore

/// Begins, finds and ends sessions.
struct SessionDesk: Sendable {
    let items: ServerItems
    let clock: any LockClock
    let accounts: Accounts
    /// How long a session lasts.
    let lifetime: Duration

    /// A session that was found by its token.
    struct Open: Sendable {
        /// The session's account in its present state.
        var account: Account
        var name: SecretName
        /// The record of the account's passcode, if it was requested. It was read at the same moment as the
        /// account's record.
        var passcode: ReadItem?
    }

    private var now: Int64 { clock.now.wall.components.seconds }

    /// Makes a new token, and the change that begins its session.
    func beginning(for account: Account) async throws(SecretStoreError) -> (
        token: String, change: SecretChange
    ) {
        let bytes = SecretBytes(randomCount: 32).withBytes { bytes in bytes.indices.map { bytes[$0] } }
        let token = Self.text(bytes)
        let record = SessionRecord(
            user: account.id,
            expires: (clock.now.wall + lifetime).components.seconds,
            began: now,
            role: account.role,
            epoch: try await accounts.record(of: account).record.epoch
        )
        return (token, try items.writing(record, to: try name(token), if: .absent))
    }

    /// Returns the session of a token. The result is `nil` if the token is forged, expired or ended, or if
    /// the account is gone or has another role.
    ///
    /// - Parameter readsPasscode: whether the passcode's record is read too, in the same call as the
    ///   account's record.
    func session(
        _ token: some StringProtocol,
        readsPasscode: Bool = false
    ) async throws(SecretStoreError) -> Open? {
        guard Self.isToken(token) else { return nil }
        let name = try name(String(token))
        while true {
            let found = try await read(name)
            guard found.condition != .absent else { return nil }
            let account = accounts[found.record.user]
            let (record, passcode) = try await record(of: account, readsPasscode)
            if let account, found.record.isOpen(for: account, epoch: record.epoch, at: now) {
                return Open(account: account.restricted(by: record), name: name, passcode: passcode)
            }
            // A reset changes its session and the account together. If one was read before and one after,
            // they do not match.
            guard try await read(name).condition != found.condition else { return nil }
        }
    }

    private func record(
        of account: Account?,
        _ readsPasscode: Bool
    ) async throws(SecretStoreError) -> (record: AccountRecord, passcode: ReadItem?) {
        guard readsPasscode else { return (try await accounts.record(of: account).record, nil) }
        return try await accounts.record(withPasscodeOf: account)
    }

    /// Reads a session that was found before, and its account's record, as they are at one moment.
    ///
    /// - Throws: ``Problem/notSignedIn`` if the session has ended since it was found; `SecretStoreError`.
    func look(
        at session: Open
    ) async throws -> (account: Account, record: Found<AccountRecord>, session: Found<SessionRecord>) {
        let user = session.account.id
        let (record, item) = try await items.read(
            items.accountName(user),
            or: AccountRecord(),
            with: session.name
        )
        let found = try items.found(item, or: Self.placeholder)
        guard found.condition != .absent, let account = accounts[user],
            found.record.isOpen(for: account, epoch: record.record.epoch, at: now)
        else { throw Problem.notSignedIn }
        return (account.restricted(by: record.record), record, found)
    }

    /// Ends a session.
    ///
    /// The account's record is written too, unchanged. So acts in the session that are under way conflict,
    /// and look at the session again. On a store without room the session ends alone: no act can be committed
    /// there.
    func end(_ session: Open) async throws(SecretStoreError) {
        do throws(SecretStoreError) {
            let removal = SecretChange.remove(session.name, if: .none)
            try await accounts.update(session.account.id, with: [removal]) { _ in }
        } catch {
            guard error.code.portable == .diskFull else { throw error }
            _ = try await items.store.remove(session.name)
        }
    }

    /// Ends all sessions of an account.
    func endAll(of user: UserID) async throws(SecretStoreError) {
        try await accounts.update(user) { $0.raiseEpoch() }
    }

    /// Returns the change that keeps a session open in another epoch of its account.
    ///
    /// - Parameters:
    ///   - session: the session.
    ///   - found: the session's record, read together with the account's.
    ///   - epoch: the account's epoch after the change.
    func continuing(
        _ session: Open,
        _ found: Found<SessionRecord>,
        in epoch: Int?
    ) throws(SecretStoreError) -> SecretChange {
        var record = found.record
        record.epoch = epoch
        return try items.writing(record, to: session.name, if: found.condition)
    }

    /// Ends the sessions of accounts that are missing or have another role in a directory. So they stay ended
    /// if a later directory has the accounts again. If the task is cancelled, some sessions may be left.
    func endThoseWithoutAccount(in directory: AccountDirectory) async throws(SecretStoreError) {
        var isOver = false
        while !isOver {
            isOver = true
            try await items.forEach(in: items.names.sessions) {
                (name: SecretName, found: Found<SessionRecord>) async throws(SecretStoreError) in
                if try await !endIfWithoutAccount(name, found, directory) { isOver = false }
            }
        }
    }

    /// Ends a session if its account is missing or has another role in a directory.
    ///
    /// - Returns: `false` if another process has changed the session meanwhile, for example by a reset. The
    ///   session then has to be examined again.
    private func endIfWithoutAccount(
        _ name: SecretName,
        _ found: Found<SessionRecord>,
        _ directory: AccountDirectory
    ) async throws(SecretStoreError) -> Bool {
        let account = directory[found.record.user]
        guard account.map({ found.record.role ?? $0.role != $0.role }) ?? true else { return true }
        // Another process on the store may not have read the accounts yet, and may still begin a session. The
        // epoch ends that session. If the account's item cannot be read, this session ends all the same.
        var trouble: SecretStoreError?
        if account == nil {
            do throws(SecretStoreError) { try await endAll(of: found.record.user) } catch { trouble = error }
        }
        let outcome = try await items.store.remove(name, if: found.condition)
        if case .conflict = outcome { return false }
        if let trouble { throw trouble }
        return true
    }

    /// Removes sessions that have ended. Nothing is removed while the gate is closed: sessions of all servers
    /// may look past to a wrong clock.
    func sweep(through gate: ServiceGate) async throws(SecretStoreError) {
        try await items.forEach(in: items.names.sessions) {
            (name: SecretName, found: Found<SessionRecord>) async throws(SecretStoreError) in
            guard found.record.isPast(at: now), gate.objection == nil else { return }
            _ = try await items.store.remove(name, if: found.condition)
        }
    }

    private func read(_ name: SecretName) async throws(SecretStoreError) -> Found<SessionRecord> {
        try await items.read(name, or: Self.placeholder)
    }

    /// A record needs a user, so a missing record has this placeholder. No caller looks at it.
    private static let placeholder = SessionRecord(user: .device, expires: 0)

    private func name(_ token: String) throws(SecretStoreError) -> SecretName {
        try SecretName(Hashing.name(token.utf8), in: items.names.sessions)
    }

    /// Whether a text has the form of a token.
    static func isToken(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 43 && text.utf8.allSatisfy(alphabet.contains)
    }

    private static let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The base64url text of 32 bytes, without padding (RFC 4648, section 5).
    private static func text(_ bytes: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".unicodeScalars)
        var text = String.UnicodeScalarView()
        var (bits, count) = (UInt32(0), 0)
        for byte in bytes + [0] {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6, text.count < 43 {
                count -= 6
                text.append(letters[Int(bits >> UInt32(count) & 63)])
            }
        }
        return String(text)
    }
}
