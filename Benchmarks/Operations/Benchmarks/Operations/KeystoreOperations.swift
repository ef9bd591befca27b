import Benchmark
import Foundation
import GcryptKeystore
import PortcullisCore

/// A store with 10,000 items of 256 bytes, in a folder that the next one takes over.
struct FilledStore {
    let store: GcryptKeystore
    let names: [SecretName]

    // Not in the folder for temporary files, which may lie in memory.
    private static var folder: String {
        FileManager.default.currentDirectoryPath + "/.build/operations-store"
    }

    init() async throws {
        try Self.remove()
        try FileManager.default.createDirectory(
            atPath: Self.folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let path = Self.folder + "/store"
        let namespace = try SecretNamespace("bench")
        names = try (0..<10_000).map { try SecretName("item-\($0)", in: namespace) }
        store = try await GcryptKeystore.open(
            KeystoreConfiguration(path: path, credential: .keyFile(path + ".key"))
        )
        for start in stride(from: 0, to: names.count, by: 500) {
            _ = try await store.commit(names[start..<start + 500].map(Self.change))
        }
        try await store.compact()
    }

    static func remove() throws {
        if FileManager.default.fileExists(atPath: folder) {
            try FileManager.default.removeItem(atPath: folder)
        }
    }

    /// Reads an item, whose number may be any.
    func get(_ number: Int) async throws -> StoredSecret? {
        try await store.read(names[number % names.count])
    }

    /// Puts an item, whose number may be any, durably.
    func put(_ number: Int) async throws -> CommitOutcome {
        try await store.commit([Self.change(names[number % names.count])])
    }

    private static func change(_ name: SecretName) -> SecretChange {
        .write(
            SecretBytes(copying: [UInt8](repeating: 7, count: 256)),
            to: name,
            accessibility: .afterFirstUnlock,
            if: .none
        )
    }
}

/// What the keystore does with 10,000 items there.
func keystoreOperations() {
    Benchmark("keystore: get", configuration: .init(scalingFactor: .kilo)) {
        (benchmark, filled: FilledStore) in
        for number in benchmark.scaledIterations {
            guard try await filled.get(number &* 7_919)?.value.count == 256 else {
                return benchmark.error("an item is not there")
            }
        }
    } setup: {
        try await FilledStore()
    } teardown: {
        try FilledStore.remove()
    }

    Benchmark("keystore: durable put") { (benchmark, filled: FilledStore) in
        for number in benchmark.scaledIterations {
            guard case .committed = try await filled.put(number) else {
                return benchmark.error("a put was refused")
            }
        }
    } setup: {
        try await FilledStore()
    } teardown: {
        try FilledStore.remove()
    }
}
