public import PortcullisCore
internal import Synchronization

/// A store that passes calls on to another store. The calls that a test chooses fail.
public final class FailingSecretStore<Base: SecretStore>: SecretStore {
    private enum Failure {
        case before(SecretStoreError)
        case after(SecretStoreError)
    }

    private let base: Base
    private let failures = Mutex<[SecretStoreOperation: [Failure]]>([:])

    /// Makes a store that passes calls on to another store.
    public init(_ base: Base) { self.base = base }

    /// Makes the next call of an operation throw this error without reaching the other store. If a test sets
    /// several errors for an operation, each call of the operation throws one, in order.
    public func failNext(_ operation: SecretStoreOperation, with error: SecretStoreError) {
        failures.withLock { $0[operation, default: []].append(.before(error)) }
    }

    /// Makes the next call of an operation take effect and then throw this error. A store does this when it
    /// cannot tell whether a change is durable.
    public func failNextAfterEffect(_ operation: SecretStoreOperation, with error: SecretStoreError) {
        failures.withLock { $0[operation, default: []].append(.after(error)) }
    }

    private func passing<Result>(
        _ operation: SecretStoreOperation,
        _ call: () async throws(SecretStoreError) -> Result
    ) async throws(SecretStoreError) -> Result {
        let failure = failures.withLock { failures -> Failure? in
            guard failures[operation]?.isEmpty == false else { return nil }
            return failures[operation]?.removeFirst()
        }
        if case .before(let error) = failure { throw error }
        let result = try await call()
        if case .after(let error) = failure { throw error }
        return result
    }

    /// The capabilities of the store that calls are passed on to.
    public var capabilities: SecretStoreCapabilities { base.capabilities }

    /// Passes the call on, or throws the error that a test chose for it.
    public func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        try await passing(.read) { () async throws(SecretStoreError) in try await base.read(name) }
    }

    /// Passes the call on, or throws the error that a test chose for it.
    public func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        try await passing(.write) { () async throws(SecretStoreError) in
            try await base.write(value, to: name, accessibility: accessibility, if: precondition)
        }
    }

    /// Passes the call on, or throws the error that a test chose for it.
    public func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome {
        try await passing(.remove) { () async throws(SecretStoreError) in
            try await base.remove(name, if: precondition)
        }
    }

    /// Passes the call on, or throws the error that a test chose for it.
    public func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        try await passing(.names) { () async throws(SecretStoreError) in try await base.names(in: namespace) }
    }

    /// The signals of the store that calls are passed on to.
    public func changes(in namespace: SecretNamespace) -> AsyncStream<Void> { base.changes(in: namespace) }

    /// The signals of the store that calls are passed on to.
    public func changes(to name: SecretName) -> AsyncStream<Void> { base.changes(to: name) }
}

extension FailingSecretStore: TransactionalSecretStore where Base: TransactionalSecretStore {
    /// Passes the call on, or throws the error that a test chose for it.
    public func read(_ names: [SecretName]) async throws(SecretStoreError) -> [StoredSecret?] {
        try await passing(.read) { () async throws(SecretStoreError) in try await base.read(names) }
    }

    /// Passes the call on, or throws the error that a test chose for it.
    public func commit(_ changes: [SecretChange]) async throws(SecretStoreError) -> CommitOutcome {
        try await passing(.commit) { () async throws(SecretStoreError) in try await base.commit(changes) }
    }
}
