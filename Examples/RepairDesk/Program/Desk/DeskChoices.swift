internal import PortcullisCore
internal import RepairShop

/// What this device remembers of its own: as what people sign in here.
struct DeskChoices: Sendable {
    private let store: any SecretStore
    private let name: SecretName

    init(store: any SecretStore) throws(SecretStoreError) {
        self.store = store
        self.name = try SecretName("role", in: try SecretNamespace("repair-desk"))
    }

    /// The role that was chosen last; one that cannot be read is asked for again.
    func role() async -> DeskRole? {
        guard let item = try? await store.read(name) else { return nil }
        let bytes = item.value.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        return DeskRole(word: String(decoding: bytes, as: UTF8.self))
    }

    /// Keeps it; without it the choice is offered again.
    func remember(_ role: DeskRole?) async {
        guard let role else {
            _ = try? await store.remove(name)
            return
        }
        _ = try? await store.write(
            SecretBytes(copying: Array(role.word.utf8)),
            to: name,
            accessibility: .afterFirstUnlockThisDeviceOnly
        )
    }
}
