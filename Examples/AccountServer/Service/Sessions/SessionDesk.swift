internal import PortcullisCore

/// A session as it is kept: under the hash of its token, so that who reads the store cannot take it over.
struct SessionRecord: Codable, Sendable, Hashable {
    var version = 1
    var user: UserID
    /// When it ends, in seconds since 1970.
    var expires: Int64
}

/// Begins, finds and ends sessions.
struct SessionDesk: Sendable {
    let items: ServerItems
    let clock: any LockClock
    let directory: AccountDirectory
    /// How long a session lasts.
    let lifetime: Duration

    /// A session that a token opened.
    struct Open: Sendable {
        var account: Account
        var name: SecretName
    }

    /// A fresh token, and the change that makes it a session's.
    func beginning(for user: UserID) throws(SecretStoreError) -> (token: String, change: SecretChange) {
        let bytes = SecretBytes(randomCount: 32).withBytes { bytes in bytes.indices.map { bytes[$0] } }
        let token = Self.text(bytes)
        let record = SessionRecord(
            user: user,
            expires: (clock.now.wall + lifetime).components.seconds
        )
        return (token, try items.writing(record, to: try name(token), if: .absent))
    }

    /// The session of a token; `nil` for one that is forged, expired or ended, or whose account is gone.
    func session(_ token: some StringProtocol) async throws(SecretStoreError) -> Open? {
        guard token.utf8.count == 43, token.utf8.allSatisfy(Self.alphabet.contains) else { return nil }
        let name = try name(String(token))
        // There is no user that a session without a record could be of; the placeholder is never looked at.
        let found = try await items.read(name, or: SessionRecord(user: .device, expires: 0))
        guard found.condition != .absent, clock.now.wall.components.seconds < found.record.expires,
            let account = directory[found.record.user]
        else { return nil }
        return Open(account: account, name: name)
    }

    /// Ends a session.
    func end(_ session: Open) async throws(SecretStoreError) {
        _ = try await items.store.remove(session.name)
    }

    /// Removes sessions that have ended.
    func sweep() async throws(SecretStoreError) {
        for name in try await items.store.names(in: items.names.sessions) {
            let found = try await items.read(name, or: SessionRecord(user: .device, expires: 0))
            guard found.condition != .absent, clock.now.wall.components.seconds >= found.record.expires else {
                continue
            }
            _ = try await items.store.remove(name, if: found.condition)
        }
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
