import GcryptKeystore
import PortcullisCore

/// The store that all this is about, opened by a key file.
struct Ours: Contestant {
    let store: GcryptKeystore
    private let names: [SecretName]

    /// - Parameter growth: by how much the file grows beyond its frames; the store's own choice unless told.
    init(_ path: String, items: Int, prefix: String = "item-", growth: UInt64? = nil) async throws {
        let namespace = try SecretNamespace("bench")
        names = try Items.names(items, prefix: prefix).map { try SecretName($0, in: namespace) }
        var configuration = KeystoreConfiguration(path: path, credential: .keyFile(path + ".key"))
        if let growth { configuration.growth = growth }
        store = try await GcryptKeystore.open(configuration)
    }

    func fill(_ count: Int) async throws { try await fill(count, valueSize: Items.valueSize) }

    func fill(_ count: Int, valueSize: Int) async throws {
        for start in stride(from: 0, to: count, by: 500) {
            let changes = (start..<min(start + 500, count)).map { index in
                SecretChange.write(
                    SecretBytes(copying: Items.value(valueSize)),
                    to: names[index],
                    accessibility: .afterFirstUnlock,
                    if: .none
                )
            }
            guard case .committed = try await store.commit(changes) else {
                throw MeasuringFailed("the batch was refused")
            }
        }
        try await store.compact()
    }

    func put(_ index: Int, _ value: [UInt8]) async throws {
        let outcome = try await store.write(
            SecretBytes(copying: value),
            to: names[index],
            accessibility: .afterFirstUnlock,
            if: .none
        )
        guard case .written = outcome else { throw MeasuringFailed("the item was not written") }
    }

    func name(_ index: Int) -> SecretName { names[index] }

    func get(_ name: SecretName) async throws {
        guard let item = try await store.read(name), item.value.count == Items.valueSize else {
            throw MeasuringFailed("the item is not there")
        }
    }

    func close() async { await store.close() }
}
