package import PortcullisCore

/// A store for tests that passes calls on to another store. A conforming type implements only the calls that
/// it changes.
package protocol ForwardingSecretStore: SecretStore {
    /// The store that calls are passed on to.
    var base: any SecretStore { get }
}

extension ForwardingSecretStore {
    package var capabilities: SecretStoreCapabilities { base.capabilities }

    package func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        try await base.read(name)
    }

    package func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        try await base.write(value, to: name, accessibility: accessibility, if: precondition)
    }

    package func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome {
        try await base.remove(name, if: precondition)
    }

    package func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        try await base.names(in: namespace)
    }

    package func changes(in namespace: SecretNamespace) -> AsyncStream<Void> { base.changes(in: namespace) }
}
