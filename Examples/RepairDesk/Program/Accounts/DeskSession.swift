internal import Foundation
internal import PasscodeLock
internal import PortcullisCore

/// Who is signed in on this device, kept in its store together with the server's token.
actor DeskSession: SignedInSession {
    private struct Kept: Codable {
        var id: UserID
        var role: String
        var quarantine: String?
    }

    private let store: any SecretStore
    private let name: SecretName
    private let logOut: @Sendable (SecretBytes) async -> Void
    private var opened: SignInClient.Opened?
    private var ended: (@MainActor @Sendable () async -> Void)?

    /// A session of nobody.
    ///
    /// - Parameters:
    ///   - store: where it is kept.
    ///   - logOut: ends a token on the server, as far as that can be reached.
    init(
        store: any SecretStore,
        logOut: @escaping @Sendable (SecretBytes) async -> Void
    ) throws(SecretStoreError) {
        self.store = store
        self.name = try SecretName("session", in: try SecretNamespace("repair-desk"))
        self.logOut = logOut
    }

    /// Says who is to be told when a session has ended.
    func whenEnded(_ tell: @escaping @MainActor @Sendable () async -> Void) { ended = tell }

    var current: SignedInUser? { opened?.session.user }

    /// The proof of being signed in.
    var token: SecretBytes? { opened?.token }

    /// Keeps for the next start whether the account was put aside.
    func keep(_ quarantine: String?) async {
        guard var changed = opened, changed.session.quarantine != quarantine else { return }
        changed.session.quarantine = quarantine
        // The server tells it again at the next start.
        try? await begin(changed)
    }

    /// Begins a session, and keeps it.
    func begin(_ new: SignInClient.Opened) async throws {
        let user = new.session.user
        let kept = Kept(id: user.id, role: user.role.word, quarantine: new.session.quarantine)
        let line = new.token.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        try await store.write(
            SecretBytes(copying: line + [0x0A] + (try JSONEncoder().encode(kept))),
            to: name,
            accessibility: .afterFirstUnlockThisDeviceOnly
        )
        opened = new
    }

    func restore() async -> SignedInUser? { await restoreSession()?.user }

    /// What an earlier run left; a session that cannot be read is none, and the person signs in anew.
    func restoreSession() async -> AppRules.Session? {
        guard opened == nil else { return opened?.session }
        guard let item = try? await store.read(name) else { return nil }
        let bytes = item.value.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        let parts = bytes.split(separator: 0x0A, maxSplits: 1)
        guard parts.count == 2, let kept = try? JSONDecoder().decode(Kept.self, from: Data(parts[1])),
            let role = SignedInRole(word: kept.role)
        else { return nil }
        let session = AppRules.Session(SignedInUser(id: kept.id, role: role), quarantine: kept.quarantine)
        opened = SignInClient.Opened(token: SecretBytes(copying: parts[0]), session: session)
        return session
    }

    /// Ends the session here and, as far as it can be reached, on the server.
    func signOut(_ scope: SignOutScope) async {
        if let token { await logOut(token) }
        await forget()
    }

    /// Ends the session here only: it has ended on the server.
    func forget() async {
        opened = nil
        // The passcode's record lies in the same store: where nothing can be removed, the app stays locked.
        _ = try? await store.remove(name)
        await ended?()
    }
}
