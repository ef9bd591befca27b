public import PortcullisCore
internal import Synchronization

/// A ``/PortcullisCore/SecretStore`` in memory. It keeps every rule of the port except durability.
///
/// The items lie in a ``Storage``. Several stores over one storage act like several processes over one file:
/// each has its own lock state, and all share the items and get each other's signals. A test simulates the
/// next start of an app with a new store over the same storage.
public final class InMemorySecretStore: TransactionalSecretStore {
    private let storage: Storage
    private let locked: Mutex<Bool>

    /// Makes a store over a storage.
    ///
    /// - Parameters:
    ///   - storage: the storage of the items; by default an empty one.
    ///   - isLocked: whether the `whenUnlocked` classes are locked at first.
    public init(_ storage: Storage = Storage(), isLocked: Bool = false) {
        self.storage = storage
        self.locked = Mutex(isLocked)
    }

    /// The store shares its items and signals the changes of all stores over the storage. The items do not
    /// outlive the process.
    public var capabilities: SecretStoreCapabilities {
        [.signalsOwnChanges, .signalsOtherProcesses, .isShared]
    }

    /// Whether items of the `whenUnlocked` classes are locked.
    public var isLocked: Bool { locked.withLock { $0 } }

    /// Locks items of the `whenUnlocked` classes in this store, for reading and writing.
    public func lock() { locked.withLock { $0 = true } }

    /// Unlocks items of the `whenUnlocked` classes in this store.
    public func unlock() { locked.withLock { $0 = false } }

    /// Reads one item.
    public func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        guard let item = try storage.item(name) else { return nil }
        try checkReach(of: item.accessibility)
        return item
    }

    /// Reads several items as they are at one moment.
    public func read(_ names: [SecretName]) async throws(SecretStoreError) -> [StoredSecret?] {
        let items = try storage.items(names)
        for case .some(let item) in items { try checkReach(of: item.accessibility) }
        return items
    }

    /// Writes one item, if the precondition holds.
    public func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        let change = SecretChange.write(value, to: name, accessibility: accessibility, if: precondition)
        switch try await commit([change]) {
        case .committed(let versions):
            guard let version = versions.first ?? nil else { preconditionFailure("a write has a version") }
            return .written(version)
        case .conflict(let current): return .conflict(current: current[name] ?? nil)
        }
    }

    /// Removes one item, if the precondition holds.
    public func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome {
        switch storage.commit([.remove(name, if: precondition)]) {
        case .done(_, let removed): removed.contains(name) ? .removed : .absent
        case .conflict(let current): .conflict(current: current[name] ?? nil)
        }
    }

    /// Returns the names in a namespace, sorted. Locked items are included.
    public func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        storage.names(in: namespace)
    }

    /// A stream with a signal after each change in the namespace, by every store over the storage.
    public func changes(in namespace: SecretNamespace) -> AsyncStream<Void> {
        storage.changes(in: namespace)
    }

    /// A stream with a signal after each change of the item, by every store over the storage.
    public func changes(to name: SecretName) -> AsyncStream<Void> { storage.changes(to: name) }

    /// Makes all changes, or no change at all.
    public func commit(_ changes: [SecretChange]) async throws(SecretStoreError) -> CommitOutcome {
        var seen: Set<SecretName> = []
        for change in changes {
            guard seen.insert(change.name).inserted else {
                throw SecretStoreError(code: .invalidName, message: "\(change.name) occurs twice in a batch")
            }
            if case .write(_, _, let accessibility, _) = change { try checkReach(of: accessibility) }
        }
        switch storage.commit(changes) {
        case .done(let versions, _): return .committed(versions)
        case .conflict(let current): return .conflict(current)
        }
    }

    private func checkReach(of accessibility: Accessibility) throws(SecretStoreError) {
        guard accessibility.availability == .whenUnlocked, isLocked else { return }
        throw SecretStoreError(code: .classLocked, message: "the class \(accessibility) is locked")
    }
}
