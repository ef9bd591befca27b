internal import HummingbirdLock
internal import PortcullisCore
internal import RepairShop

/// A person's session at the desk: the token of the session at the account server, and the server's data.
actor DeskVisit: SignedInSession {
    let user: UserID
    nonisolated let role: DeskRole
    private(set) var quarantine: String?
    private var token: SecretBytes?
    private var lastLook: Duration
    private let logOut: @Sendable (SecretBytes) async -> Void

    init(
        _ opened: SignInClient.Opened,
        at now: Moment,
        logOut: @escaping @Sendable (SecretBytes) async -> Void
    ) {
        lastLook = now.sinceBoot
        user = opened.session.user
        role = opened.session.role
        quarantine = opened.session.quarantine
        token = opened.token
        self.logOut = logOut
    }

    var current: UserID? { token == nil ? nil : user }

    /// The token; `nil` after signing out.
    var proof: SecretBytes? { token }

    /// Whether the person works for the shop and the account was not put aside (P-40).
    var isOfShop: Bool { role == .staff && quarantine == nil }

    /// Asks the account server, at most once a minute, whether the session is still open and whether the
    /// account was put aside.
    ///
    /// - Returns: `false` if the session has ended, here or at the server. Without an answer nothing changes.
    func lasts(asking client: SignInClient, at now: Moment) async -> Bool {
        guard let token else { return false }
        guard now.sinceBoot - lastLook >= .seconds(60) else { return true }
        lastLook = now.sinceBoot
        do throws(SignInError) {
            quarantine = try await client.session(token).quarantine
        } catch .notSignedIn {
            self.token = nil
        } catch {}
        return self.token != nil
    }

    /// Whether the person may act for the shop now. Asks as ``lasts(asking:at:)`` does.
    func mayAct(asking client: SignInClient, at now: Moment) async -> Bool {
        guard await lasts(asking: client, at: now) else { return false }
        return isOfShop
    }

    func restore() async -> UserID? { current }

    func signOut() async {
        guard let token else { return }
        self.token = nil
        // The person does not wait for the server, which may not answer.
        Task { [logOut] in await logOut(token) }
    }
}

extension WebSession {
    /// The person's session at the desk.
    nonisolated var visit: DeskVisit? { attachment as? DeskVisit }
}
