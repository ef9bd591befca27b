internal import Foundation
internal import PasscodeLock
internal import PortcullisCore
internal import RepairShop

/// The session of the person who is signed in on this device. The store keeps it with the server's token.
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
    /// The token whose session the server has already ended. A second log-out would be an error there.
    private var ended: SecretBytes?
    /// The token of the session that has ended here and that the store could not remove.
    private var unremoved: SecretBytes?
    private var farewells: [UUID: Task<Void, Never>] = [:]
    private var tellEnd: (@MainActor @Sendable (SecretStoreError?) async -> Void)?

    /// Makes a session without a person.
    ///
    /// - Parameters:
    ///   - store: the store that keeps the session.
    ///   - logOut: ends the session of a token on the server, if the server can be reached.
    init(
        store: any SecretStore,
        logOut: @escaping @Sendable (SecretBytes) async -> Void
    ) throws(SecretStoreError) {
        self.store = store
        self.name = try SecretName("session", in: try SecretNamespace("repair-desk"))
        self.logOut = logOut
    }

    /// Sets the function that is called when a session has ended. Its argument is the error if the store
    /// could not remove the session.
    func whenEnded(_ tell: @escaping @MainActor @Sendable (SecretStoreError?) async -> Void) {
        tellEnd = tell
    }

    var current: UserID? { opened?.session.user }

    /// The token of the session.
    var token: SecretBytes? { opened?.token }

    /// The token of a person's session; `nil` if this person is not signed in.
    func token(of user: UserID) -> SecretBytes? {
        opened?.session.user == user ? opened?.token : nil
    }

    /// Keeps the reason why a session's account was put aside, or its removal, for the next start.
    ///
    /// - Returns: whether that session is still the present one.
    func keep(_ quarantine: String?, of token: SecretBytes) async -> Bool {
        guard var changed = opened, changed.token === token else { return false }
        guard changed.session.quarantine != quarantine else { return true }
        changed.session.quarantine = quarantine
        opened = changed
        // If the write fails, the server tells the state again at the next start. A session that another window
        // has begun meanwhile stays.
        if let item = try? await store.read(name), Self.holds(item, token) {
            try? await write(changed, if: .version(item.version))
        }
        return opened?.token === token
    }

    /// Begins a session, and keeps it.
    func begin(_ new: SignInClient.Opened) async throws {
        try await write(new)
        unremoved = nil
        opened = new
    }

    private func write(
        _ new: SignInClient.Opened,
        if condition: WritePrecondition = .none
    ) async throws {
        let session = new.session
        let kept = Kept(id: session.user, role: session.role.word, quarantine: session.quarantine)
        let line = new.token.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        // A conflict means that the session has another owner by now, which keeps it.
        _ = try await store.write(
            SecretBytes(copying: line + [0x0A] + (try JSONEncoder().encode(kept))),
            to: name,
            accessibility: .afterFirstUnlockThisDeviceOnly,
            if: condition
        )
    }

    func restore() async -> UserID? { await restoreSession()?.user }

    /// Reads the session that an earlier run left. If it cannot be read, the person signs in again.
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

    /// Checks at each change of the kept session whether another process on the same folder has ended it or
    /// begun another one. The call returns when it is cancelled.
    ///
    /// - Parameter tell: is called when the session was ended by another process.
    func watch(_ tell: @escaping @MainActor @Sendable () async -> Void) async {
        for await _ in store.changes(to: name) where await hasEndedElsewhere() { await tell() }
    }

    private func hasEndedElsewhere() async -> Bool {
        guard let token else { return false }
        let item: StoredSecret?
        // If the item cannot be read, it may still be there.
        do throws(SecretStoreError) { item = try await store.read(name) } catch { return false }
        // The session may have ended here meanwhile.
        guard opened?.token === token else { return false }
        if let item, Self.holds(item, token) { return false }
        opened = nil
        return true
    }

    private static func holds(_ item: StoredSecret, _ token: SecretBytes) -> Bool {
        let bytes = item.value.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        return SecretBytes(copying: bytes.prefix { $0 != 0x0A }).matches(token)
    }

    /// Notes that the server has ended the session of a person.
    func serverEnded(of user: UserID) { ended = token(of: user) }

    /// Ends the session here, and tells the server, unless the server has ended it.
    ///
    /// The person is forgotten before the server is asked, and does not wait for the server. So no person
    /// stays signed in on this device if the server does not answer, or if the process ends meanwhile.
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

    /// Removes a session that has ended here and that the store could not remove then. Other windows, and the
    /// next start, would take it for an open session.
    func removeEnded() async {
        guard let token = unremoved else { return }
        // If the store fails, or another window has just written the session, the next call tries again.
        let isGone = (try? await removeKept(token, evenUnreadable: false)) ?? false
        if isGone, unremoved === token { unremoved = nil }
    }

    /// Removes the kept session, if it has this token. Another window may have begun another session.
    ///
    /// - Parameter evenUnreadable: whether a session that cannot be read is removed, too.
    /// - Returns: whether the store keeps no session with this token now; `false` if another window has written
    ///   the session meanwhile.
    private func removeKept(
        _ token: SecretBytes,
        evenUnreadable: Bool
    ) async throws(SecretStoreError) -> Bool {
        let found: StoredSecret?
        do throws(SecretStoreError) { found = try await store.read(name) } catch {
            guard evenUnreadable else { throw error }
            try await store.remove(name)
            return true
        }
        guard let item = found, Self.holds(item, token) else { return true }
        if case .conflict = try await store.remove(name, if: .version(item.version)) { return false }
        return true
    }

    /// Waits until the server was told of every session that ended here, or could not be reached. An ended
    /// session that the store still keeps is removed, if that is possible now.
    func finish() async {
        await removeEnded()
        for farewell in farewells.values { await farewell.value }
    }

    /// Ends a session here only.
    ///
    /// - Returns: whether it was this device's session. Another person may have signed in meanwhile.
    @discardableResult
    func forget(_ token: SecretBytes) async -> Bool {
        guard let opened, opened.token === token else { return false }
        self.opened = nil
        var failure: SecretStoreError?
        do throws(SecretStoreError) {
            if try await !removeKept(token, evenUnreadable: true) { unremoved = token }
        } catch {
            failure = error
            unremoved = token
        }
        await tellEnd?(failure)
        return true
    }
}
