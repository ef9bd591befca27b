internal import PortcullisCore
internal import Synchronization

/// A store of which one item was read a moment ago. The first read of that item returns the known content.
///
/// The known content is no older than the request that uses it. A write names the version that was read. If
/// the item has changed since, the write is a conflict, and the read after it goes to the store.
final class KnownItemStore: SecretStore {
    private let base: any SecretStore
    private let known: Mutex<ReadItem?>

    init(_ base: any SecretStore, known: ReadItem?) {
        self.base = base
        self.known = Mutex(known)
    }

    var capabilities: SecretStoreCapabilities { base.capabilities }

    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        let known = known.withLock { known -> ReadItem? in
            guard known?.name == name else { return nil }
            defer { known = nil }
            return known
        }
        if let known { return known.stored }
        return try await base.read(name)
    }

    func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        known.withLock { $0 = nil }
        return try await base.write(value, to: name, accessibility: accessibility, if: precondition)
    }

    func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome {
        known.withLock { $0 = nil }
        return try await base.remove(name, if: precondition)
    }

    func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        try await base.names(in: namespace)
    }

    func changes(in namespace: SecretNamespace) -> AsyncStream<Void> { base.changes(in: namespace) }
}
