internal import PortcullisCore
internal import RepairShop

/// The choice that this device remembers: the role in which people sign in here.
struct DeskChoices: Sendable {
    private let store: any SecretStore
    private let name: SecretName

    init(store: any SecretStore) throws(SecretStoreError) {
        self.store = store
        self.name = try SecretName("role", in: try SecretNamespace("repair-desk"))
    }

    /// The role that was chosen last. If it cannot be read, the person chooses again.
    func role() async -> DeskRole? {
        guard let item = try? await store.read(name) else { return nil }
        let bytes = item.value.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        return DeskRole(word: String(decoding: bytes, as: UTF8.self))
    }

    /// Keeps the role, or removes it if it is `nil`. Without a kept role the choice is offered again.
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
