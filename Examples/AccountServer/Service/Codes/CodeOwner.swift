internal import PortcullisCore

/// Whom codes are for: an address and role that may have an account, or a signed-in person.
struct CodeOwner: Sendable {
    /// What codes are good for.
    enum Purpose: String, Sendable { case signIn = "sign-in", reset }

    var purpose: Purpose
    /// Who gets the mail; `nil` for an address without an account.
    var account: Account?
    /// Whether a session has shown who it is: codes and limits of its own, which no stranger can touch.
    var isSignedIn: Bool
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
        isSignedIn = false
        key = "\(purpose.rawValue):address:\(Hashing.name("\(role.rawValue) \(email)".utf8))"
        self.network = String(Hashing.name("\(key) \(network)".utf8).prefix(16))
    }

    /// A signed-in person, wherever the request comes from.
    init(_ purpose: Purpose, signedIn account: Account) {
        self.purpose = purpose
        self.account = account
        isSignedIn = true
        key = "\(purpose.rawValue):account:\(account.id)"
        network = "session"
    }
}
