#if HummingbirdLock
import PortcullisCore
import PortcullisTesting

/// A store without signals, whose reads wait at a gate.
struct GatedStore: ForwardingSecretStore {
    let base: any SecretStore
    let reads = Gate()

    var capabilities: SecretStoreCapabilities { base.capabilities.subtracting(.signalsOwnChanges) }

    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        _ = await reads.pass()
        return try await base.read(name)
    }
}
#endif
