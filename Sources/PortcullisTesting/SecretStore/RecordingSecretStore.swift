public import PortcullisCore
internal import Synchronization

/// A store that records every call and passes it on to another store.
public final class RecordingSecretStore<Base: SecretStore>: SecretStore {
    private let base: Base
    private let recorded = Mutex<[SecretStoreCall]>([])

    /// Makes a store that passes calls on to another store.
    public init(_ base: Base) { self.base = base }

    /// The calls so far, in the order in which they began.
    public var calls: [SecretStoreCall] { recorded.withLock { $0 } }

    /// The number of calls of an operation so far.
    public func count(of operation: SecretStoreOperation) -> Int {
        calls.count { $0.operation == operation }
    }

    /// Clears the record of calls.
    public func forgetCalls() { recorded.withLock { $0 = [] } }

    private func record(_ call: SecretStoreCall) { recorded.withLock { $0.append(call) } }

    /// The capabilities of the store that calls are passed on to.
    public var capabilities: SecretStoreCapabilities { base.capabilities }

    /// Records the call and passes it on.
    public func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        record(.read(name))
        return try await base.read(name)
    }

    /// Records the call and passes it on.
    public func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        record(.write(name, accessibility, if: precondition))
        return try await base.write(value, to: name, accessibility: accessibility, if: precondition)
    }

    /// Records the call and passes it on.
    public func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome {
        record(.remove(name, if: precondition))
        return try await base.remove(name, if: precondition)
    }

    /// Records the call and passes it on.
    public func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        record(.names(namespace))
        return try await base.names(in: namespace)
    }

    /// Returns the signals of the underlying store for changes in a namespace. The call is not recorded.
    public func changes(in namespace: SecretNamespace) -> AsyncStream<Void> { base.changes(in: namespace) }

    /// Returns the signals of the underlying store for changes of an item. The call is not recorded.
    public func changes(to name: SecretName) -> AsyncStream<Void> { base.changes(to: name) }
}

extension RecordingSecretStore: TransactionalSecretStore where Base: TransactionalSecretStore {
    /// Records the call and passes it on.
    public func read(_ names: [SecretName]) async throws(SecretStoreError) -> [StoredSecret?] {
        record(.readTogether(names))
        return try await base.read(names)
    }

    /// Records the call and passes it on.
    public func commit(_ changes: [SecretChange]) async throws(SecretStoreError) -> CommitOutcome {
        record(.commit(changes.map(\.name)))
        return try await base.commit(changes)
    }
}
