import Crypto
import ExampleSupport
import Foundation
import PortcullisCore
import PortcullisTesting
import Testing

@testable import own_adapter

@Suite("OwnAdapter, values under a key", .timeLimit(.minutes(5)))
struct SealedStoreTests {
    private let folder: TemporaryFolder
    private let key = SymmetricKey(size: .bits256)
    private var file: String { "\(folder.path)/items.sqlite" }

    init() throws { folder = try TemporaryFolder() }

    @Test("X-3: the store keeps the contract with sealed values too", arguments: SecretStoreContract.allCases)
    func contract(_ clause: SecretStoreContract) async throws {
        let (folder, key) = (folder.path, key)
        let result = try await clause.check(.onSQLite(in: folder) { SealedStore(base: $0, key: key) })
        // It passes no batches on.
        let others: Set<SecretStoreContract> = [
            .silentStreamsEnd, .lockedClass, .batchCommits, .batchAllOrNothing, .batchIsOneStep,
            .batchRefusesDuplicates,
        ]
        #expect((result == .kept) != others.contains(clause))
    }

    @Test("X-3: a value is found in the files as it is, and under a key it is not", arguments: [false, true])
    func visible(isSealed: Bool) async throws {
        let plain = try await SQLiteStore.open(file)
        let store: any SecretStore = isSealed ? SealedStore(base: plain, key: key) : plain
        let name = try SecretName("item", in: SecretNamespace("tests"))
        try await store.write(
            SecretBytes(copying: "find me".utf8),
            to: name,
            accessibility: .afterFirstUnlock
        )
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).map {
            try Data(contentsOf: URL(filePath: "\(folder.path)/\($0)"))
        }
        #expect(files.contains { $0.firstRange(of: Data("find me".utf8)) != nil } == !isSealed)
    }

    @Test("X-3: a swapped value and another key are damage, never “no such item”")
    func swapped() async throws {
        let plain = try await SQLiteStore.open(file)
        let store = SealedStore(base: plain, key: key)
        let space = try SecretNamespace("tests")
        let (a, b) = (try SecretName("a", in: space), try SecretName("b", in: space))
        try await store.write(SecretBytes(copying: "1".utf8), to: a, accessibility: .afterFirstUnlock)
        let taken = try #require(try await plain.read(a))
        try await plain.write(taken.value, to: b, accessibility: .afterFirstUnlock)
        let others: [(any SecretStore, SecretName)] = [
            (store, b), (SealedStore(base: plain, key: SymmetricKey(size: .bits256)), a),
        ]
        for (store, name) in others {
            let error = await #expect(throws: SecretStoreError.self) { _ = try await store.read(name) }
            #expect(error?.code == .damaged)
        }
    }
}
