public import PortcullisCore
internal import Synchronization

/// A ``/PortcullisCore/SignedInSession`` in memory, with a record of who was signed out.
public final class InMemorySession: SignedInSession {
    private struct State {
        var users: [SignedInUser]
        var signOuts: [SignOutScope] = []
    }

    /// Holds sign-outs, where a test looks at what happens meanwhile.
    public let gate = Gate()

    private let state: Mutex<State>

    /// A session.
    ///
    /// - Parameter user: the user who is signed in; default: none.
    public init(_ user: SignedInUser? = nil) {
        self.state = Mutex(State(users: user.map { [$0] } ?? []))
    }

    /// Signs a user in, in the place of another one with the same role.
    public func signIn(_ user: SignedInUser) {
        state.withLock { state in
            state.users.removeAll { $0.role == user.role }
            state.users.append(user)
        }
    }

    /// The sign-outs that have ended.
    public var signOuts: [SignOutScope] { state.withLock { $0.signOuts } }

    /// Staff before customer.
    public var current: SignedInUser? {
        get async {
            state.withLock { state in state.users.first { $0.role == .staff } ?? state.users.first }
        }
    }

    /// Who is signed in: in memory nothing needs bringing back.
    public func restore() async -> SignedInUser? { await current }

    /// Signs out, once ``gate`` is open.
    public func signOut(_ scope: SignOutScope) async {
        _ = await gate.pass()
        state.withLock { state in
            switch scope {
            case .staff: state.users.removeAll { $0.role == .staff }
            case .customer: state.users.removeAll { $0.role == .customer }
            case .everything: state.users = []
            }
            state.signOuts.append(scope)
        }
    }
}
