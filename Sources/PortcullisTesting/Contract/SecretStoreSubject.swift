public import PortcullisCore

/// A ``/PortcullisCore/SecretStore`` to be checked against ``SecretStoreContract``, as the ways to get at it.
public struct SecretStoreSubject: Sendable {
    /// Opens the store at one place.
    ///
    /// Each call opens it anew, over the same items, as another process or a later start would.
    public typealias Opening = @Sendable () async throws -> any SecretStore

    let makePlace: @Sendable () async throws -> Opening
    let canReopen: Bool
    let unsupported: Set<SecretStoreContract>
    let lock: (@Sendable (any SecretStore) async throws -> Void)?
    let unlock: (@Sendable (any SecretStore) async throws -> Void)?
    let patience: Duration

    /// A store that can be opened several times over the same items.
    ///
    /// - Parameters:
    ///   - unsupported: clauses that the store's ground cannot give; only those that
    ///     ``SecretStoreContract/mayBeUnsupported`` names.
    ///   - lock: locks the `whenUnlocked` classes, where the store can.
    ///   - unlock: unlocks them again.
    ///   - patience: how long to wait for a signal before it counts as lost. It passes only
    ///     where something is lost, or a busy machine lets it be late.
    ///   - makePlace: makes an empty place, a new folder for instance, and returns the way to open the store there.
    public init(
        unsupported: Set<SecretStoreContract> = [],
        lock: (@Sendable (any SecretStore) async throws -> Void)? = nil,
        unlock: (@Sendable (any SecretStore) async throws -> Void)? = nil,
        patience: Duration = .seconds(60),
        reopening makePlace: @escaping @Sendable () async throws -> Opening
    ) {
        self.makePlace = makePlace
        self.canReopen = true
        self.unsupported = unsupported
        self.lock = lock
        self.unlock = unlock
        self.patience = patience
    }

    /// A store that is there once; the clauses about a second opening do not apply.
    ///
    /// - Parameters:
    ///   - unsupported: clauses that the store's ground cannot give; only those that
    ///     ``SecretStoreContract/mayBeUnsupported`` names.
    ///   - patience: how long to wait for a signal before it counts as lost. It passes only
    ///     where something is lost, or a busy machine lets it be late.
    ///   - makeStore: makes an empty store.
    public init(
        unsupported: Set<SecretStoreContract> = [],
        patience: Duration = .seconds(60),
        fresh makeStore: @escaping @Sendable () async throws -> any SecretStore
    ) {
        self.makePlace = { makeStore }
        self.canReopen = false
        self.unsupported = unsupported
        self.lock = nil
        self.unlock = nil
        self.patience = patience
    }
}
