internal import PortcullisCore

/// Begins, finds and ends sessions.
struct SessionDesk: Sendable {
    let items: ServerItems
    let clock: any LockClock
    let accounts: Accounts
    /// How long a session lasts.
    let lifetime: Duration

    /// A session that a token opened.
    struct Open: Sendable {
        /// Whose it is, as things stand now.
        var account: Account
        var name: SecretName
        /// The record of the account's passcode, if it was asked for: as it was at the moment of the account's own.
        var passcode: ReadItem?
    }

    private var now: Int64 { clock.now.wall.components.seconds }

    /// A fresh token, and the change that makes it a session's.
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

    /// The session of a token; `nil` for one that is forged, expired or ended, or whose account is gone or has another
    /// role.
    ///
    /// - Parameter readsPasscode: whether the record of the account's passcode is wanted, which costs no read of its own.
    func session(
        _ token: some StringProtocol,
        readsPasscode: Bool = false
    ) async throws(SecretStoreError) -> Open? {
        guard token.utf8.count == 43, token.utf8.allSatisfy(Self.alphabet.contains) else { return nil }
        let name = try name(String(token))
        while true {
            let found = try await read(name)
            guard found.condition != .absent else { return nil }
            let account = accounts[found.record.user]
            let (record, passcode) = try await record(of: account, readsPasscode)
            if let account, found.record.isOpen(for: account, epoch: record.epoch, at: now) {
                return Open(account: account.restricted(by: record), name: name, passcode: passcode)
            }
            // A reset moves its own session on together with the account: read before and after, the two do not match.
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

    /// Ends a session.
    func end(_ session: Open) async throws(SecretStoreError) {
        _ = try await items.store.remove(session.name)
    }

    /// Ends all sessions of an account.
    func endAll(of user: UserID) async throws(SecretStoreError) {
        try await accounts.update(user) { $0.raiseEpoch() }
    }

    /// The change that lets a session go on in another epoch.
    ///
    /// - Returns: `nil` when it has ended meanwhile.
    func continuing(_ session: Open, in epoch: Int?) async throws(SecretStoreError) -> SecretChange? {
        var found = try await read(session.name)
        guard found.condition != .absent else { return nil }
        found.record.epoch = epoch
        return try items.writing(found.record, to: session.name, if: found.condition)
    }

    /// Ends the sessions of accounts that are gone or have another role, so that none goes on when they come back.
    func endThoseWithoutAccount() async throws(SecretStoreError) {
        for name in try await items.store.names(in: items.names.sessions) {
            let found = try await read(name)
            guard found.condition != .absent else { continue }
            let account = accounts[found.record.user]
            guard account.map({ found.record.role ?? $0.role != $0.role }) ?? true else { continue }
            // The epoch ends what another process on the store, which has not read the accounts yet, still begins.
            if account == nil { try await endAll(of: found.record.user) }
            _ = try await items.store.remove(name, if: found.condition)
        }
    }

    /// Removes sessions that have ended.
    func sweep() async throws(SecretStoreError) {
        for name in try await items.store.names(in: items.names.sessions) {
            let found = try await read(name)
            guard found.condition != .absent, found.record.isPast(at: now) else { continue }
            _ = try await items.store.remove(name, if: found.condition)
        }
    }

    private func read(_ name: SecretName) async throws(SecretStoreError) -> Found<SessionRecord> {
        // There is no user that a session without a record could be of; the placeholder is never looked at.
        try await items.read(name, or: SessionRecord(user: .device, expires: 0))
    }

    private func name(_ token: String) throws(SecretStoreError) -> SecretName {
        try SecretName(Hashing.name(token.utf8), in: items.names.sessions)
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
