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
    /// What names the item.
    var key: String
    /// Where requests come from, as far as limits are concerned.
    var network: String

    /// The owner of an address; the same work whether there is an account or not.
    ///
    /// - Parameters:
    ///   - account: whose address it is, if anyone's.
    ///   - network: where the request comes from.
    init(
        _ purpose: Purpose,
        _ email: MailAddress,
        _ role: AccountRole,
        account: Account?,
        from network: String
    ) {
        self.purpose = purpose
        self.account = account
        key = "\(purpose.rawValue):address:\(Hashing.name("\(role.rawValue) \(email)".utf8))"
        self.network = String(Hashing.name("\(key) \(network)".utf8).prefix(16))
    }

    /// A signed-in person, wherever the request comes from.
    init(_ purpose: Purpose, _ session: SessionDesk.Open) {
        self.purpose = purpose
        self.session = session
        account = session.account
        key = "\(purpose.rawValue):account:\(session.account.id)"
        network = "session"
    }
}
