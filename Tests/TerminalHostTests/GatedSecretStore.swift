import PortcullisCore
import PortcullisTesting

/// A store whose reads, and whose writes in one namespace, wait at gates.
final class GatedSecretStore: ForwardingSecretStore {
    let base: any SecretStore
    let reads = Gate()
    let writes = Gate()
    private let namespace: SecretNamespace

    init(_ base: any SecretStore, writesOf namespace: SecretNamespace) {
        (self.base, self.namespace) = (base, namespace)
    }

    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        _ = await reads.pass()
        return try await base.read(name)
    }

    func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        if name.namespace == namespace { _ = await writes.pass() }
        return try await base.write(value, to: name, accessibility: accessibility, if: precondition)
    }
}
