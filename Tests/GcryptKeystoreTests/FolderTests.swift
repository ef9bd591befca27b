import Foundation
import GcryptKeystore
import PortcullisCore
import Testing

/// A folder is opened before what it is synced for, so that nothing is half done when it cannot be opened.
@Suite("A store's folder that cannot be opened", .timeLimit(.minutes(10)))
struct FolderTests {
    private let scratch: Scratch
    private let files = FaultyFiles()

    init() throws { scratch = try Scratch() }

    @Test("K-10: a compaction fails before the renaming, and the store goes on", arguments: [EMFILE, EACCES])
    func compaction(_ number: Int32) async throws {
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        try await store.put("1", "item")
        files.fail("open-folder", number)
        let before = try scratch.bytes()
        let expected: SecretStoreError.Code = number == EACCES ? .notPermitted : .systemFailure
        #expect(await code { try await store.compact() } == expected)
        #expect(try scratch.bytes() == before)
        #expect(!FileManager.default.fileExists(atPath: scratch.store + ".new"))
        try await store.put("2", "item")
        #expect(try await store.get("item") == "2")
        files.fail("open-folder", nil)
        try await store.compact()
        #expect(try await GcryptKeystore.open(scratch.configuration).get("item") == "2")
    }

    @Test("K-10: what a killed writer left is made durable by the next write for which the folder opens")
    func settling() async throws {
        try await GcryptKeystore.open(scratch.configuration).put("1", "item")
        // One write has begun, and has not ended.
        try scratch.put([0, 0, 0, 0, 9, 0, 0, 0, 8, 0, 0, 0], scratch.store + ".lock")
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        files.fail("open-folder", EMFILE)
        #expect(await code { try await store.put("2", "item") } == .systemFailure)
        #expect(try await store.get("item") == "1")
        files.fail("open-folder", nil)
        _ = files.counted()
        try await store.put("2", "item")
        #expect(files.counted()["fsync-folder"] == 1)
        #expect(try await store.get("item") == "2")
    }

    @Test(
        "K-1, K-10: what a killed compaction left stays until the folder opens, and no slot is removed before"
    )
    func leftover() async throws {
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        try await store.put("1", "item")
        let slot = try await store.addSlot(.rawKey(SecretBytes(randomCount: 32)))
        let before = try scratch.bytes()
        try await store.compact()
        let later = try scratch.bytes()
        await store.close()
        try scratch.put(before)
        try scratch.put(later, scratch.store + ".new")
        let again = try await GcryptKeystore.open(scratch.configuration, files: files)
        files.fail("open-folder", EMFILE)
        #expect(await code { try await again.removeSlot(slot.id) } == .systemFailure)
        #expect(try scratch.bytes(scratch.store + ".new") == later)
        #expect(try await again.slots().count == 2)
        files.fail("open-folder", nil)
        try await again.removeSlot(slot.id)
        #expect(!FileManager.default.fileExists(atPath: scratch.store + ".new"))
        #expect(try await again.slots().count == 1)
    }

    @Test("K-10: no store is made, and the next opening makes it")
    func making() async throws {
        var configuration = scratch.configuration
        configuration.credential = .rawKey(SecretBytes(randomCount: 32))
        // The parent of a new folder need not be readable, so this error comes where the store is named.
        files.fail("open-folder", EACCES)
        let found = await code { try await GcryptKeystore.open(configuration, files: files) }
        #expect(found == .notPermitted)
        #expect(!FileManager.default.fileExists(atPath: scratch.store))
        files.fail("open-folder", nil)
        try await GcryptKeystore.open(configuration, files: files).put("1", "item")
    }
}
