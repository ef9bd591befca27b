internal import PortcullisCore

/// The owner of codes: an address and role that may have an account, or a signed-in person.
struct CodeOwner: Sendable {
    /// What codes are good for.
    enum Purpose: String, Sendable { case signIn = "sign-in", reset }

    var purpose: Purpose
    /// The account that gets the mail; `nil` for an address without an account.
    var account: Account?
    /// The session of a signed-in person. Its codes and limits are separate, and no stranger can affect them.
    var session: SessionDesk.Open?
    /// The text that identifies the owner in records.
    var key: String
    /// The name of the item with the owner's codes.
    ///
    /// An account has an item of its own. Addresses without an account share a fixed number of items, whose
    /// names have the same length. In a shared item, the latest address replaces the one before. Nothing is
    /// lost by this, because no code of such an address is ever right.
    var item: String
    /// The name of the item that decides how requests are answered (``ToldRequests``). It is `nil` in a
    /// session, whose answers hide nothing.
    var slot: String?
    /// The network that requests count for, as a hash; the same text for all sessions.
    var network: String

    /// Makes the owner of an address. The work is the same with an account and without one.
    ///
    /// - Parameters:
    ///   - account: the account of the address; `nil` if there is none.
    ///   - network: the network that the request comes from.
    ///   - slots: the number of items that addresses share.
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
        // Strangers may know which addresses share an item, because the item behaves the same with an account
        // and without one.
        let number = (UInt64(hash.prefix(15), radix: 16) ?? 0) % UInt64(max(1, slots))
        let place = "\(purpose.rawValue):address:\(Hashing.name("slot \(number)".utf8))"
        slot = place
        item = account == nil ? place : key
        self.network = String(Hashing.name("\(key) \(network)".utf8).prefix(16))
    }

    /// Makes the owner for a signed-in person, from whatever network the request comes.
    init(_ purpose: Purpose, _ session: SessionDesk.Open) {
        self.purpose = purpose
        self.session = session
        account = session.account
        key = "\(purpose.rawValue):account:\(session.account.id)"
        item = key
        network = "session"
    }
}
