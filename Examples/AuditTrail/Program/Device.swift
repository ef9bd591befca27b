internal import PortcullisCore

/// A host without accounts: the device's one user is always there.
struct Device: SignedInSession {
    var current: SignedInUser? { nil }

    func restore() async -> SignedInUser? { nil }

    func signOut(_ scope: SignOutScope) async {}
}
