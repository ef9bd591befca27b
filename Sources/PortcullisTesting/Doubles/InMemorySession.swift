public import PortcullisCore
internal import Synchronization

/// A ``/PortcullisCore/SignedInSession`` in memory, with a record of who was signed out.
public final class InMemorySession: SignedInSession {
    private struct State {
        var user: UserID?
        var signOuts: [UserID?] = []
    }

    /// Holds sign-outs, where a test looks at what happens meanwhile.
    public let gate = Gate()

    private let state: Mutex<State>

    /// A session.
    ///
    /// - Parameter user: the user who is signed in; default: none.
    public init(_ user: UserID? = nil) {
        self.state = Mutex(State(user: user))
    }

    /// Signs a user in, in the place of another one.
    public func signIn(_ user: UserID) { state.withLock { $0.user = user } }

    /// Who was signed out, in order; `nil` where a sign-out found no user.
    public var signOuts: [UserID?] { state.withLock { $0.signOuts } }

    /// The user who is signed in.
    public var current: UserID? {
        get async { state.withLock { $0.user } }
    }

    /// Who is signed in: in memory nothing needs bringing back.
    public func restore() async -> UserID? { await current }

    /// Signs out, once ``gate`` is open.
    public func signOut() async {
        _ = await gate.pass()
        state.withLock { state in
            state.signOuts.append(state.user)
            state.user = nil
        }
    }
}
