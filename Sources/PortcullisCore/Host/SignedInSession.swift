/// Who is signed in, as only the host app knows, and how to sign them out.
///
/// ## For implementers
/// - ``signOut(_:)`` ends the session on this device also when offline; when it returns, ``current`` no longer
///   shows it. It is called with the content covered and may take its time.
public protocol SignedInSession: Sendable {
    /// The user who is signed in now; `nil` when there is none.
    var current: SignedInUser? { get async }

    /// Brings back the session of an earlier run, where there is one.
    ///
    /// - Returns: the user who is signed in then; `nil` when there is none.
    func restore() async -> SignedInUser?

    /// Ends sessions on this device.
    ///
    /// - Parameter scope: which sessions.
    func signOut(_ scope: SignOutScope) async
}

/// A person who is signed in.
public struct SignedInUser: Hashable, Sendable {
    /// The person's id.
    public var id: UserID
    /// As what the person is signed in.
    public var role: SignedInRole

    /// A signed-in person.
    public init(id: UserID, role: SignedInRole) {
        self.id = id
        self.role = role
    }
}

/// As what a person is signed in.
public enum SignedInRole: Hashable, Sendable {
    /// A person who works with the app.
    case staff
    /// A person who is served through it.
    case customer
}

/// Which sessions a sign-out ends.
public enum SignOutScope: Hashable, Sendable {
    /// The staff session.
    case staff
    /// The customer session.
    case customer
    /// Every session and everything that belongs to one.
    case everything
}

/// Whether the person has paid for a feature, as only the host app knows.
public protocol Entitlement: Sendable {
    /// Whether the feature is paid for now.
    var isEntitled: Bool { get async }

    /// The new answer each time it changes.
    func changes() -> AsyncStream<Bool>
}
