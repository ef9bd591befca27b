import PortcullisCore
import PortcullisTesting
import RepairShop
import Testing

@testable import repair_desk

/// Windows whose sessions are kept in one store.
@Suite("RepairDesk: the kept session", .timeLimit(.minutes(5)))
struct DeskSessionTests {
    private let store = FailingSecretStore(InMemorySecretStore())

    @Test(
        "P-33: the removal of a session, also a late one, leaves what another window has begun since",
        arguments: [false, true]
    )
    func removedElsewhere(isLate: Bool) async throws {
        let first = try DeskSession(store: store) { _ in }
        let second = try DeskSession(store: store) { _ in }
        try await first.begin(token: "t0ken")
        if isLate {
            store.failNext(.remove, with: SecretStoreError(code: .lockTimeout, message: "busy"))
            await first.signOut()
        }
        let session = try await second.begin(token: "0ther")
        if isLate { await first.removeEnded() } else { await first.signOut() }
        let third = try DeskSession(store: store) { _ in }
        #expect(await third.restoreSession() == session)
    }

    @Test("P-33: a sign-out also removes a kept session that cannot be read")
    func removedUnread() async throws {
        let window = try DeskSession(store: store) { _ in }
        try await window.begin(token: "t0ken")
        store.failNext(.read, with: SecretStoreError(code: .damaged, message: "not readable"))
        await window.signOut()
        let next = try DeskSession(store: store) { _ in }
        #expect(await next.restoreSession() == nil)
    }
}

extension DeskSession {
    /// Begins a session of Anna.
    @discardableResult
    func begin(token: String) async throws -> DeskRules.Session {
        let session = DeskRules.Session(try #require(UserID("anna")), as: .staff)
        try await begin(SignInClient.Opened(token: SecretBytes(copying: token.utf8), session: session))
        return session
    }
}
