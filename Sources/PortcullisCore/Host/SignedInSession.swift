/// Who is signed in, as only the host app knows, and how to sign them out.
///
/// As what a person is signed in, and what the app shows then, are the host's own affair.
///
/// ## For implementers
/// - ``signOut()`` ends the session on this device also when offline; when it returns, ``current`` no longer
///   shows it. It is called with the content covered and may take its time.
public protocol SignedInSession: Sendable {
    /// The user who is signed in now; `nil` when there is none.
    var current: UserID? { get async }

    /// Brings back the session of an earlier run, where there is one.
    ///
    /// - Returns: the user who is signed in then; `nil` when there is none.
    func restore() async -> UserID?

    /// Ends the session of the user who is signed in; where there is none, all that is left of any.
    func signOut() async
}

/// Whether the person has paid for a feature, as only the host app knows.
public protocol Entitlement: Sendable {
    /// Whether the feature is paid for now.
    var isEntitled: Bool { get async }

    /// The new answer each time it changes.
    func changes() -> AsyncStream<Bool>
}
