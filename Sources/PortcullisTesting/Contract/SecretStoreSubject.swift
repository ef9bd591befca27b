public import PortcullisCore

/// A ``/PortcullisCore/SecretStore`` to be checked against ``SecretStoreContract``, as the ways to get at it.
public struct SecretStoreSubject: Sendable {
    /// Opens the store at one place.
    ///
    /// Each call opens it anew, over the same items, as another process or a later start would.
    public typealias Opening = @Sendable () async throws -> any SecretStore

    /// Where the items of a store lie, and what a test can do to them there.
    public struct Place: Sendable {
        let open: Opening
        let damage: (@Sendable (SecretName) async throws -> Void)?
        let hold: (@Sendable () async throws -> Release)?

        /// Lets go of what ``SecretStoreSubject/Place`` holds; called once, on any thread.
        public typealias Release = @Sendable () -> Void

        /// A place of its own, with no item in it.
        ///
        /// - Parameters:
        ///   - damage: alters the stored bytes of an item, as a failing disk does, unnoticed by every
        ///     opening. It may harm other items too.
        ///   - hold: makes every write wait, as another process with the store's lock or a stuck disk does, and
        ///     returns what lets them go on.
        ///   - open: opens the store there.
        public init(
            damage: (@Sendable (SecretName) async throws -> Void)? = nil,
            hold: (@Sendable () async throws -> Release)? = nil,
            open: @escaping Opening
        ) {
            self.open = open
            self.damage = damage
            self.hold = hold
        }
    }

    let makePlace: @Sendable () async throws -> Place
    let canReopen: Bool
    let unsupported: Set<SecretStoreContract>
    let lock: (@Sendable (any SecretStore) async throws -> Void)?
    let unlock: (@Sendable (any SecretStore) async throws -> Void)?
    let patience: Duration

    /// A store that can be opened several times over the same items, in places that a test can get at.
    ///
    /// - Parameters:
    ///   - unsupported: clauses that the store's platform, or the test, cannot give; only those that
    ///     ``SecretStoreContract/mayBeUnsupported`` names.
    ///   - lock: locks the `whenUnlocked` classes, where the store can.
    ///   - unlock: unlocks them again.
    ///   - patience: how long to wait for a signal, or for a task to get its turn, before it counts as lost. It passes
    ///     only where something is lost, or a busy machine lets it be late.
    ///   - makePlace: makes an empty place, a new folder for instance; another one with each call.
    public init(
        unsupported: Set<SecretStoreContract> = [],
        lock: (@Sendable (any SecretStore) async throws -> Void)? = nil,
        unlock: (@Sendable (any SecretStore) async throws -> Void)? = nil,
        patience: Duration = .seconds(60),
        places makePlace: @escaping @Sendable () async throws -> Place
    ) {
        self.makePlace = makePlace
        self.canReopen = true
        self.unsupported = unsupported
        self.lock = lock
        self.unlock = unlock
        self.patience = patience
    }

    /// A store that can be opened several times over the same items.
    ///
    /// - Parameters:
    ///   - unsupported: clauses that the store's platform, or the test, cannot give; only those that
    ///     ``SecretStoreContract/mayBeUnsupported`` names.
    ///   - lock: locks the `whenUnlocked` classes, where the store can.
    ///   - unlock: unlocks them again.
    ///   - patience: how long to wait for a signal before it counts as lost. It passes only
    ///     where something is lost, or a busy machine lets it be late.
    ///   - makePlace: makes an empty place, a new folder for instance, and returns the way to open the store there;
    ///     another one with each call.
    public init(
        unsupported: Set<SecretStoreContract> = [],
        lock: (@Sendable (any SecretStore) async throws -> Void)? = nil,
        unlock: (@Sendable (any SecretStore) async throws -> Void)? = nil,
        patience: Duration = .seconds(60),
        reopening makePlace: @escaping @Sendable () async throws -> Opening
    ) {
        self.init(
            unsupported: unsupported,
            lock: lock,
            unlock: unlock,
            patience: patience,
            places: { Place(open: try await makePlace()) }
        )
    }

    /// A store that is there once; the clauses about a second opening do not apply, and it must not claim to outlive
    /// the process or to be shared.
    ///
    /// - Parameters:
    ///   - unsupported: clauses that the store's platform cannot give; only those that
    ///     ``SecretStoreContract/mayBeUnsupported`` names.
    ///   - patience: how long to wait for a signal before it counts as lost. It passes only
    ///     where something is lost, or a busy machine lets it be late.
    ///   - makeStore: makes an empty store, another one with each call.
    public init(
        unsupported: Set<SecretStoreContract> = [],
        patience: Duration = .seconds(60),
        fresh makeStore: @escaping @Sendable () async throws -> any SecretStore
    ) {
        self.makePlace = { Place(open: makeStore) }
        self.canReopen = false
        self.unsupported = unsupported
        self.lock = nil
        self.unlock = nil
        self.patience = patience
    }
}
