import ExampleSupport
import Foundation
import GRDB
import PortcullisCore
import PortcullisTesting
import SealingStore
import Testing

@testable import own_adapter

@Suite("OwnAdapter, sealed", .timeLimit(.minutes(5)))
struct SealedStoreTests {
    private let folder: TemporaryFolder
    private var file: String { "\(folder.path)/items.sqlite" }
    private var keyFile: String { file + ".key" }

    init() throws { folder = try TemporaryFolder() }

    @Test("F-1, X-3: the store keeps the contract sealed too", arguments: SecretStoreContract.allCases)
    func contract(_ clause: SecretStoreContract) async throws {
        let result = try await clause.check(.onSealedSQLite(in: folder.path))
        let others: Set<SecretStoreContract> = [.silentStreamsEnd, .lockedClass]
        #expect((result == .kept) != others.contains(clause))
    }

    @Test(
        "F-1: names and values are found in the files as they are, and sealed they are not",
        arguments: [false, true]
    )
    func visible(isSealed: Bool) async throws {
        let store: any SecretStore =
            isSealed
            ? try await SealedSQLite.open(file, keyFile: keyFile) : try await SQLiteStore.open(file)
        let name = try SecretName("a name to find", in: SecretNamespace("a-place-to-find"))
        try await store.write(
            SecretBytes(copying: "find me".utf8),
            to: name,
            accessibility: .afterFirstUnlock
        )
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).map {
            try Data(contentsOf: URL(filePath: "\(folder.path)/\($0)"))
        }
        for text in ["find me", "a name to find", "a-place-to-find"] {
            #expect(files.contains { $0.firstRange(of: Data(text.utf8)) != nil } == !isSealed, "\(text)")
        }
    }

    @Test("F-1: a value put back with SQLite's own means is rolled back, and a full database wants its key")
    func rolledBack() async throws {
        let store = try await SealedSQLite.open(file, keyFile: keyFile)
        let plain = try await SQLiteStore.open(file)
        let name = try SecretName("item", in: SecretNamespace("tests"))
        try await store.write(SecretBytes(copying: [1]), to: name, accessibility: .afterFirstUnlock)
        // All rows are copied aside, and put back after the next write.
        try await plain.pool.write { db in try db.execute(sql: "CREATE TABLE aside AS SELECT * FROM items") }
        try await store.write(SecretBytes(copying: [2]), to: name, accessibility: .afterFirstUnlock)
        try await plain.pool.write { db in
            try db.execute(
                sql: """
                    UPDATE items SET value = (
                        SELECT value FROM aside
                        WHERE aside.namespace = items.namespace AND aside.name = items.name
                    )
                    """
            )
        }
        let error = await #expect(throws: SecretStoreError.self) { _ = try await store.read(name) }
        #expect(error?.code == .rolledBack)
        try FileManager.default.removeItem(atPath: keyFile)
        let keyless = await #expect(throws: SecretStoreError.self) {
            _ = try await SealedSQLite.open(file, keyFile: keyFile)
        }
        #expect(keyless?.code == .wrongKey)
    }
}
