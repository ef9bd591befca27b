public import PortcullisCore
internal import Synchronization

/// A ``/PortcullisCore/SignedInSession`` in memory that records the users who were signed out.
public final class InMemorySession: SignedInSession {
    private struct State {
        var user: UserID?
        var signOuts: [UserID?] = []
    }

    /// The gate that each sign-out passes. A test can close it, to check what happens during a sign-out.
    public let gate = Gate()

    private let state: Mutex<State>

    /// Makes a session.
    ///
    /// - Parameter user: the user who is signed in; by default none.
    public init(_ user: UserID? = nil) {
        self.state = Mutex(State(user: user))
    }

    /// Signs a user in, in place of the user who was signed in before.
    public func signIn(_ user: UserID) { state.withLock { $0.user = user } }

    /// The users who were signed out, in order; `nil` for a sign-out without a user.
    public var signOuts: [UserID?] { state.withLock { $0.signOuts } }

    /// The user who is signed in.
    public var current: UserID? {
        get async { state.withLock { $0.user } }
    }

    /// Returns the user who is signed in. A session in memory has nothing to restore.
    public func restore() async -> UserID? { await current }

    /// Signs the user out once ``gate`` is open or the caller's task is cancelled.
    public func signOut() async {
        _ = await gate.pass()
        state.withLock { state in
            state.signOuts.append(state.user)
            state.user = nil
        }
    }
}
