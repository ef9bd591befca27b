internal import Foundation
internal import PasscodeLock
internal import PortcullisCore
internal import RepairShop

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
    /// The token that the server has ended: telling it so again would be an error there.
    private var ended: SecretBytes?
    private var farewells: [UUID: Task<Void, Never>] = [:]
    private var tellEnd: (@MainActor @Sendable (SecretStoreError?) async -> Void)?

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

    /// Says who is to be told when a session has ended, and why the store would not let it go.
    func whenEnded(_ tell: @escaping @MainActor @Sendable (SecretStoreError?) async -> Void) {
        tellEnd = tell
    }

    var current: UserID? { opened?.session.user }

    /// The proof of being signed in.
    var token: SecretBytes? { opened?.token }

    /// The proof that a person is signed in; `nil` when another one is, or nobody.
    func token(of user: UserID) -> SecretBytes? {
        opened?.session.user == user ? opened?.token : nil
    }

    /// Keeps for the next start whether the account of a session was put aside.
    ///
    /// - Returns: whether that session is still the one.
    func keep(_ quarantine: String?, of token: SecretBytes) async -> Bool {
        guard var changed = opened, changed.token === token else { return false }
        guard changed.session.quarantine != quarantine else { return true }
        changed.session.quarantine = quarantine
        opened = changed
        // What cannot be kept the server tells again at the next start.
        try? await write(changed)
        return opened?.token === token
    }

    /// Begins a session, and keeps it.
    func begin(_ new: SignInClient.Opened) async throws {
        try await write(new)
        opened = new
    }

    private func write(_ new: SignInClient.Opened) async throws {
        let session = new.session
        let kept = Kept(id: session.user, role: session.role.word, quarantine: session.quarantine)
        let line = new.token.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        try await store.write(
            SecretBytes(copying: line + [0x0A] + (try JSONEncoder().encode(kept))),
            to: name,
            accessibility: .afterFirstUnlockThisDeviceOnly
        )
    }

    func restore() async -> UserID? { await restoreSession()?.user }

    /// What an earlier run left; a session that cannot be read is none, and the person signs in anew.
    func restoreSession() async -> DeskRules.Session? {
        guard opened == nil else { return opened?.session }
        guard let item = try? await store.read(name) else { return nil }
        let bytes = item.value.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        let parts = bytes.split(separator: 0x0A, maxSplits: 1)
        guard parts.count == 2, let kept = try? JSONDecoder().decode(Kept.self, from: Data(parts[1])),
            let role = DeskRole(word: kept.role)
        else { return nil }
        let session = DeskRules.Session(kept.id, as: role, quarantine: kept.quarantine)
        opened = SignInClient.Opened(token: SecretBytes(copying: parts[0]), session: session)
        return session
    }

    /// Looks whenever the kept session changes whether another process on the same folder has ended it, or begun another;
    /// returns when it is cancelled.
    ///
    /// - Parameter tell: is told when nobody is signed in here any more.
    func watch(_ tell: @escaping @MainActor @Sendable () async -> Void) async {
        for await _ in store.changes(to: name) where await hasEndedElsewhere() { await tell() }
    }

    private func hasEndedElsewhere() async -> Bool {
        guard let token else { return false }
        let item: StoredSecret?
        // What cannot be read may be there.
        do throws(SecretStoreError) { item = try await store.read(name) } catch { return false }
        // The session may have ended here meanwhile.
        guard opened?.token === token else { return false }
        let bytes = item?.value.withBytes { bytes in bytes.indices.map { bytes[$0] } } ?? []
        guard !SecretBytes(copying: bytes.prefix { $0 != 0x0A }).matches(token) else { return false }
        opened = nil
        return true
    }

    /// Notes that the server has ended the session of a person.
    func serverEnded(of user: UserID) { ended = token(of: user) }

    /// Ends the session here, and has the server told where it does not know.
    ///
    /// The person is forgotten before the server is asked, and is not kept waiting for it: a server that does not
    /// answer, and a process that ends meanwhile, leave no person signed in on this device.
    func signOut() async {
        guard let token else { return }
        await forget(token)
        guard ended !== token else { return }
        let id = UUID()
        farewells[id] = Task {
            await logOut(token)
            farewells[id] = nil
        }
    }

    /// Waits until the server has been told of every session that ended here, or has proved out of reach.
    func finish() async { for farewell in farewells.values { await farewell.value } }

    /// Ends a session here only.
    ///
    /// - Returns: whether it was the one of this device, which somebody else's may have become meanwhile.
    @discardableResult
    func forget(_ token: SecretBytes) async -> Bool {
        guard let opened, opened.token === token else { return false }
        self.opened = nil
        var failure: SecretStoreError?
        do throws(SecretStoreError) { try await store.remove(name) } catch { failure = error }
        await tellEnd?(failure)
        return true
    }
}
