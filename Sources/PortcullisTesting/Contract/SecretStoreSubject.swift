public import PortcullisCore

/// A ``/PortcullisCore/SecretStore`` to be checked against ``SecretStoreContract``. The subject contains
/// functions that make and open a store.
public struct SecretStoreSubject: Sendable {
    /// Opens the store at one place.
    ///
    /// Each call opens the same items again, as another process or a later start does.
    public typealias Opening = @Sendable () async throws -> any SecretStore

    /// The place where a store keeps its items, with functions that damage an item or make writes wait.
    public struct Place: Sendable {
        let open: Opening
        let damage: (@Sendable (SecretName) async throws -> Void)?
        let hold: (@Sendable () async throws -> Release)?

        /// Ends the wait that the function `hold` of a ``SecretStoreSubject/Place`` began. This function is
        /// called once, on any thread.
        public typealias Release = @Sendable () -> Void

        /// Makes a new place without items.
        ///
        /// - Parameters:
        ///   - damage: alters the stored bytes of an item, as a failing disk does. The open stores get no
        ///     signal of the change. The function may damage other items too. A store whose other items are
        ///     damaged may refuse to overwrite the item, so damage only the item where this is possible.
        ///   - hold: makes every write wait, as if another process held the store's lock or the disk were
        ///     stuck. The function returns another function, which ends the wait.
        ///   - open: opens the store at the place.
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

    /// Makes a subject whose store can be opened several times over the same items. The clauses can also
    /// damage items and make writes wait, if the place has functions for this.
    ///
    /// - Parameters:
    ///   - unsupported: the clauses that the store's platform cannot keep, or the test cannot check. Only
    ///     clauses with ``SecretStoreContract/mayBeUnsupported`` are allowed.
    ///   - lock: locks the items of the `whenUnlocked` classes; `nil` if the store cannot lock items.
    ///   - unlock: unlocks these items again.
    ///   - patience: how long to wait for a signal, or for a task to run. After this time the signal counts
    ///     as lost, or the task as blocked. A generous time allows for a busy machine.
    ///   - makePlace: makes another empty place with each call, such as a new folder.
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

    /// Makes a subject whose store can be opened several times over the same items.
    ///
    /// - Parameters:
    ///   - unsupported: the clauses that the store's platform cannot keep, or the test cannot check. Only
    ///     clauses with ``SecretStoreContract/mayBeUnsupported`` are allowed.
    ///   - lock: locks the items of the `whenUnlocked` classes; `nil` if the store cannot lock items.
    ///   - unlock: unlocks these items again.
    ///   - patience: how long to wait for a signal before it counts as lost. A generous time lets signals
    ///     be late on a busy machine.
    ///   - makePlace: makes another empty place with each call, such as a new folder, and returns a
    ///     function that opens the store there.
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

    /// Makes a subject whose store can be opened only once. Clauses about a second opening do not apply. The
    /// store must not declare that it is durable, is shared, or signals changes of other processes.
    ///
    /// - Parameters:
    ///   - unsupported: the clauses that the store's platform cannot keep. Only clauses with
    ///     ``SecretStoreContract/mayBeUnsupported`` are allowed.
    ///   - patience: how long to wait for a signal before it counts as lost. A generous time lets signals
    ///     be late on a busy machine.
    ///   - makeStore: makes another empty store with each call.
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
