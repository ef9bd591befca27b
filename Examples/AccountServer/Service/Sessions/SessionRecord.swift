internal import PortcullisCore

/// A session as it is kept: under the hash of its token, so that who reads the store cannot take it over.
struct SessionRecord: Codable, Sendable, Hashable {
    var version = 1
    var user: UserID
    /// When it ends, in seconds since 1970.
    var expires: Int64
    /// When it began, in seconds since 1970; `nil` in one of an earlier version.
    var began: Int64?
    /// The person's role when it began; `nil` in one of an earlier version.
    var role: AccountRole?
    /// The account's epoch when it began; `nil`: none of its sessions had been ended.
    var epoch: Int?

    /// Whether it opens the account.
    ///
    /// - Parameters:
    ///   - account: whose it is; `nil` when the account is gone.
    ///   - epoch: the account's.
    ///   - now: seconds since 1970.
    func isOpen(for account: Account?, epoch: Int?, at now: Int64) -> Bool {
        guard let account, role ?? account.role == account.role, self.epoch ?? 0 == epoch ?? 0 else {
            return false
        }
        return !isPast(at: now)
    }

    /// Whether it has ended by time, or was begun by a clock that was ahead and would last until after that.
    func isPast(at now: Int64) -> Bool {
        let isAhead = began.map { WallClock.isAhead($0 * 1_000, of: now * 1_000) } ?? false
        return isAhead || now >= expires
    }
}
