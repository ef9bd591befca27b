import AdapterKit
import PortcullisCore
import PortcullisTesting
import Synchronization

/// A store in memory that signals only when a test says so, whatever it promises. Its reads can be held with what they
/// found, its writes before they are made.
final class QuietStore: ForwardingSecretStore {
    let base: any SecretStore
    private let holds = Mutex<[SecretStoreOperation: [Gate]]>([:])
    private let isStreamOpen: Bool
    private let signals = Broadcaster<Void>()
    private let followed = Atomic(0)
    let capabilities: SecretStoreCapabilities

    /// A store over a storage.
    ///
    /// - Parameters:
    ///   - storage: where the items lie.
    ///   - capabilities: what it promises; default: items that are shared, and no signals.
    ///   - isStreamOpen: whether its stream of changes stays open, as if a signal were on its way.
    ///     Without it ``signal()`` reaches nothing.
    init(
        _ storage: InMemorySecretStore.Storage,
        capabilities: SecretStoreCapabilities = .isShared,
        isStreamOpen: Bool = false
    ) {
        self.base = InMemorySecretStore(storage)
        self.capabilities = capabilities
        self.isStreamOpen = isStreamOpen
    }

    /// How many of its open streams of changes are followed.
    var openStreams: Int { followed.load(ordering: .relaxed) }

    /// Signals a change on each open stream.
    func signal() { signals.send(()) }

    /// Holds the next read once it has its answer, until the gate is opened.
    func holdNextRead() -> Gate { holdNext(.read) }

    /// Holds the next write before it is made, until the gate is opened.
    func holdNextWrite() -> Gate { holdNext(.write) }

    private func holdNext(_ operation: SecretStoreOperation) -> Gate {
        let gate = Gate()
        gate.close()
        holds.withLock { $0[operation, default: []].append(gate) }
        return gate
    }

    private func takeHold(of operation: SecretStoreOperation) -> Gate? {
        holds.withLock { holds in
            guard holds[operation]?.isEmpty == false else { return nil }
            return holds[operation]?.removeFirst()
        }
    }

    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        let hold = takeHold(of: .read)
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
        _ = await takeHold(of: .write)?.pass()
        return try await base.write(value, to: name, accessibility: accessibility, if: precondition)
    }

    func changes(in namespace: SecretNamespace) -> AsyncStream<Void> {
        guard isStreamOpen else { return AsyncStream { $0.finish() } }
        followed.add(1, ordering: .relaxed)
        return signals.stream(whenEnded: { self.followed.subtract(1, ordering: .relaxed) })
    }
}
