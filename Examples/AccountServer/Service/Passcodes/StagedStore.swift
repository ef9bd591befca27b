internal import PortcullisCore
internal import Synchronization

/// An empty store that keeps the written item, so that the server can commit it.
///
/// The passcode engine sets a passcode with one write. On a server this write has to take effect together
/// with others, such as the account's new revision. So the engine writes into this store, and the server
/// commits the written item in its own batch.
final class StagedStore: SecretStore {
    private let written = Mutex<(name: SecretName, value: SecretBytes, accessibility: Accessibility)?>(nil)

    /// The change that was staged.
    func change(if condition: WritePrecondition) -> SecretChange? {
        written.withLock { $0 }.map {
            .write($0.value, to: $0.name, accessibility: $0.accessibility, if: condition)
        }
    }

    var capabilities: SecretStoreCapabilities { [] }

    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? { nil }

    func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        written.withLock { $0 = (name, value, accessibility) }
        return .written(SecretVersion(1))
    }

    func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome { .absent }

    func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] { [] }

    func changes(in namespace: SecretNamespace) -> AsyncStream<Void> { AsyncStream { $0.finish() } }
}
