internal import PortcullisCore

/// A stored session. Its name is the hash of its token, so a reader of the store cannot take the session
/// over.
struct SessionRecord: Codable, Sendable, Hashable {
    var version = 1
    var user: UserID
    /// The time at which the session ends, in seconds since 1970.
    var expires: Int64
    /// The time at which the session began, in seconds since 1970; `nil` in a record of an earlier version.
    var began: Int64?
    /// The person's role when the session began; `nil` in a record of an earlier version.
    var role: AccountRole?
    /// The account's epoch when the session began; `nil` if no epoch had ended the account's sessions.
    var epoch: Int?

    /// Whether the session opens the account.
    ///
    /// - Parameters:
    ///   - account: the session's account; `nil` if it is gone.
    ///   - epoch: the account's epoch.
    ///   - now: seconds since 1970.
    func isOpen(for account: Account?, epoch: Int?, at now: Int64) -> Bool {
        guard let account, role ?? account.role == account.role, self.epoch ?? 0 == epoch ?? 0 else {
            return false
        }
        return !isPast(at: now)
    }

    /// Whether the session has expired. A session that was begun by a clock that was ahead counts as expired,
    /// because it would last too long.
    func isPast(at now: Int64) -> Bool {
        let isAhead = began.map { WallClock.isAhead($0 * 1_000, of: now * 1_000) } ?? false
        return isAhead || now >= expires
    }
}
