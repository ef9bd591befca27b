internal import PortcullisCore

/// Whom codes are for: an address and role that may have an account, or a signed-in person.
struct CodeOwner: Sendable {
    /// What codes are good for.
    enum Purpose: String, Sendable { case signIn = "sign-in", reset }

    var purpose: Purpose
    /// Who gets the mail; `nil` for an address without an account.
    var account: Account?
    /// The session that has shown who it is: codes and limits of its own, which no stranger can touch.
    var session: SessionDesk.Open?
    /// What it is known by, in its records.
    var key: String
    /// What names the item with its codes.
    ///
    /// An account has one of its own. Addresses without one share a fixed number, whose names are as long, and there the
    /// latest takes the place of the one before: no code of theirs is ever right, so nothing is lost.
    var item: String
    /// What names the item that requests are answered by (``ToldRequests``); `nil` in a session, which has no answer to
    /// hide.
    var slot: String?
    /// Where requests come from, as far as limits are concerned.
    var network: String

    /// The owner of an address; the same work whether there is an account or not.
    ///
    /// - Parameters:
    ///   - account: whose address it is, if anyone's.
    ///   - network: where the request comes from.
    ///   - slots: how many items addresses share.
    init(
        _ purpose: Purpose,
        _ email: MailAddress,
        _ role: AccountRole,
        account: Account?,
        from network: String,
        slots: Int
    ) {
        self.purpose = purpose
        self.account = account
        let hash = Hashing.name("\(role.rawValue) \(email)".utf8)
        key = "\(purpose.rawValue):address:\(hash)"
        // All may know which addresses share an item: what happens there is the same with an account and without one.
        let number = (UInt64(hash.prefix(15), radix: 16) ?? 0) % UInt64(max(1, slots))
        let place = "\(purpose.rawValue):address:\(Hashing.name("slot \(number)".utf8))"
        slot = place
        item = account == nil ? place : key
        self.network = String(Hashing.name("\(key) \(network)".utf8).prefix(16))
    }

    /// A signed-in person, wherever the request comes from.
    init(_ purpose: Purpose, _ session: SessionDesk.Open) {
        self.purpose = purpose
        self.session = session
        account = session.account
        key = "\(purpose.rawValue):account:\(session.account.id)"
        item = key
        network = "session"
    }
}
