internal import PortcullisCore

/// A host without accounts: the device's one user is always there.
struct Device: SignedInSession {
    var current: UserID? { nil }

    func restore() async -> UserID? { nil }

    func signOut() async {}
}
