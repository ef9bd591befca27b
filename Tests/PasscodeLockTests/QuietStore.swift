import PortcullisCore
import PortcullisTesting
import Synchronization

/// A store in memory that never signals, whatever it promises, and whose reads can be held with what they found.
final class QuietStore: SecretStore {
    private let base: InMemorySecretStore
    private let holds = Mutex<[Gate]>([])
    private let isStreamOpen: Bool
    let capabilities: SecretStoreCapabilities

    /// A store over a storage.
    ///
    /// - Parameters:
    ///   - storage: where the items lie.
    ///   - capabilities: what it promises; default: items that are shared, and no signals.
    ///   - isStreamOpen: whether its stream of changes stays open, as if a signal were on its way.
    init(
        _ storage: InMemorySecretStore.Storage,
        capabilities: SecretStoreCapabilities = .isShared,
        isStreamOpen: Bool = false
    ) {
        self.base = InMemorySecretStore(storage)
        self.capabilities = capabilities
        self.isStreamOpen = isStreamOpen
    }

    /// Holds the next read once it has its answer, until the gate is opened.
    func holdNextRead() -> Gate {
        let gate = Gate()
        gate.close()
        holds.withLock { $0.append(gate) }
        return gate
    }

    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        let hold = holds.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        let found = try await base.read(name)
        _ = await hold?.pass()
        return found
    }

    func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        try await base.write(value, to: name, accessibility: accessibility, if: precondition)
    }

    func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome { try await base.remove(name, if: precondition) }

    func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        try await base.names(in: namespace)
    }

    func changes(in namespace: SecretNamespace) -> AsyncStream<Void> {
        AsyncStream { if !isStreamOpen { $0.finish() } }
    }
}
