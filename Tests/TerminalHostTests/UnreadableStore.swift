import PortcullisCore
import PortcullisTesting
import Synchronization

/// A store that can be read only while a test says so.
final class UnreadableStore: ForwardingSecretStore {
    let base: any SecretStore
    let isReadable: Mutex<Bool>

    init(base: any SecretStore, isReadable: Bool = false) {
        self.base = base
        self.isReadable = Mutex(isReadable)
    }

    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        guard isReadable.withLock({ $0 }) else {
            throw SecretStoreError(code: .systemFailure, message: "an error of the disk")
        }
        return try await base.read(name)
    }
}
