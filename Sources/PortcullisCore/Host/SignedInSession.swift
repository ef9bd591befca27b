/// The session of the person who is signed in to the host app.
///
/// The host app decides what signing in means, and what it shows after signing out.
///
/// ## For implementers
/// - ``signOut()`` ends the session on this device, even without a network. After the call, ``current`` no
///   longer returns the user. The call may be slow, because the lock covers the app's content meanwhile.
public protocol SignedInSession: Sendable {
    /// The user who is signed in now; `nil` when no user is signed in.
    var current: UserID? { get async }

    /// Restores the session of an earlier run of the app, if there is such a session.
    ///
    /// - Returns: the user who is now signed in; `nil` when no session was restored.
    func restore() async -> UserID?

    /// Ends the present session. If there is none, the call removes the data that earlier sessions left
    /// behind.
    func signOut() async
}

/// Reports whether the person has paid for a feature. The host app implements this protocol.
public protocol Entitlement: Sendable {
    /// Whether the person has paid for the feature.
    var isEntitled: Bool { get async }

    /// Returns a stream that yields the new value of ``isEntitled`` after each change.
    func changes() -> AsyncStream<Bool>
}
