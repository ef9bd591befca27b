public import PortcullisCore
internal import Synchronization

/// A ``/PortcullisCore/SecretStore`` in memory, complete but for durability.
///
/// The items lie in a ``Storage``. Stores over one storage are what processes over one file are: each has its own
/// lock state, all see the same items and hear each other's changes. A new store over a storage that is still
/// held is what the next start of an app finds.
public final class InMemorySecretStore: TransactionalSecretStore {
    private let storage: Storage
    private let locked: Mutex<Bool>

    /// A store over a storage.
    ///
    /// - Parameters:
    ///   - storage: where the items lie; default: an empty one.
    ///   - isLocked: whether the `whenUnlocked` classes are locked to begin with.
    public init(_ storage: Storage = Storage(), isLocked: Bool = false) {
        self.storage = storage
        self.locked = Mutex(isLocked)
    }

    /// Signals of all stores over the storage, and shared items; nothing outlives the process.
    public var capabilities: SecretStoreCapabilities {
        [.signalsOwnChanges, .signalsOtherProcesses, .isShared]
    }

    /// Whether items of the `whenUnlocked` classes are out of reach.
    public var isLocked: Bool { locked.withLock { $0 } }

    /// Puts items of the `whenUnlocked` classes out of this store's reach, for reading and writing.
    public func lock() { locked.withLock { $0 = true } }

    /// Brings them back.
    public func unlock() { locked.withLock { $0 = false } }

    /// Reads one item.
    public func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        guard let item = try storage.item(name) else { return nil }
        try checkReach(of: item.accessibility)
        return item
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

    /// The names in a namespace, sorted; also of locked items.
    public func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        storage.names(in: namespace)
    }

    /// A signal after each change by any store over the storage.
    public func changes(in namespace: SecretNamespace) -> AsyncStream<Void> {
        storage.changes(in: namespace)
    }

    /// A signal after each change of an item in this storage.
    public func changes(to name: SecretName) -> AsyncStream<Void> { storage.changes(to: name) }

    /// Makes all changes or none.
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
