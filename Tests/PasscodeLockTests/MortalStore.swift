import PortcullisCore
import PortcullisTesting
import Synchronization

/// A store whose process can be killed at a change: before or after it took effect, nothing works any more until
/// the next start.
final class MortalStore: SecretStore {
    private enum Life {
        case healthy
        case dies(afterChanges: Int, withEffect: Bool)
        case dead
    }

    private let base: InMemorySecretStore
    private let life = Mutex(Life.healthy)

    init(_ storage: InMemorySecretStore.Storage) { base = InMemorySecretStore(storage) }

    /// The process dies at the change after so many more.
    func die(afterChanges count: Int, withEffect: Bool) {
        life.withLock { $0 = .dies(afterChanges: count, withEffect: withEffect) }
    }

    /// A new process, on what was stored.
    ///
    /// - Returns: whether the last one had died.
    @discardableResult
    func restart() -> Bool {
        life.withLock { life in
            defer { life = .healthy }
            if case .dead = life { return true }
            return false
        }
    }

    private static let killed = SecretStoreError(code: .systemFailure, message: "the process was killed")

    private func passing<Result>(
        _ call: () async throws(SecretStoreError) -> Result
    ) async throws(SecretStoreError) -> Result {
        let (dies, hasEffect) = try life.withLock { life throws(SecretStoreError) -> (Bool, Bool) in
            switch life {
            case .healthy: return (false, true)
            case .dead: throw Self.killed
            case .dies(0, let withEffect):
                life = .dead
                return (true, withEffect)
            case .dies(let count, let withEffect):
                life = .dies(afterChanges: count - 1, withEffect: withEffect)
                return (false, true)
            }
        }
        if dies {
            if hasEffect { _ = try await call() }
            throw Self.killed
        }
        return try await call()
    }

    var capabilities: SecretStoreCapabilities { base.capabilities }

    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        if case .dead = life.withLock({ $0 }) { throw Self.killed }
        return try await base.read(name)
    }

    func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        try await passing { () async throws(SecretStoreError) in
            try await base.write(value, to: name, accessibility: accessibility, if: precondition)
        }
    }

    func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome {
        try await passing { () async throws(SecretStoreError) in
            try await base.remove(name, if: precondition)
        }
    }

    func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        try await base.names(in: namespace)
    }

    func changes(in namespace: SecretNamespace) -> AsyncStream<Void> { base.changes(in: namespace) }
}
