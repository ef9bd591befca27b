/// The session of a host without accounts: one user is always signed in, and signing out has no effect.
public struct FixedSession: SignedInSession {
    /// The user who is signed in; `nil` if no user ever is.
    public let current: UserID?

    /// Makes a session of one user.
    public init(_ user: UserID? = .device) { current = user }

    /// Returns the user.
    public func restore() async -> UserID? { current }

    /// Does nothing.
    public func signOut() async {}
}
