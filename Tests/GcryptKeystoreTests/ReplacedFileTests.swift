import Foundation
import GcryptKeystore
import PortcullisCore
import Testing

@Suite("A store whose file is replaced or moved", .timeLimit(.minutes(10)))
struct ReplacedFileTests {
    @Test("K-7: with a second name for the old file, commits still reach the new one")
    func hardLink() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("1", "item")
        try FileManager.default.linkItem(atPath: scratch.store, toPath: scratch.path + "/second name")
        let other = try await GcryptKeystore.open(scratch.configuration)
        #expect(try await other.get("item") == "1")
        try await other.compact()
        try await other.put("2", "item")
        try await store.put("3", "item")
        #expect(try await store.get("item") == "3")
        #expect(try await other.get("item") == "3")
        #expect(try await GcryptKeystore.open(scratch.configuration).get("item") == "3")
    }

    @Test("K-7: a commit after the file was moved away is an error, and reaches no file")
    func moved() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("1", "item")
        let elsewhere = scratch.path + "/elsewhere"
        try FileManager.default.moveItem(atPath: scratch.store, toPath: elsewhere)
        let before = try scratch.bytes(elsewhere)
        #expect(await code { try await store.put("2", "item") } == .missingStore)
        #expect(try scratch.bytes(elsewhere) == before)
        try FileManager.default.moveItem(atPath: elsewhere, toPath: scratch.store)
        try await store.put("2", "item")
        #expect(try await store.get("item") == "2")
    }

    @Test("K-10: a read after the file was moved away is an error, and none once it is back")
    func movedWhileReading() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("1", "item")
        #expect(try await store.get("item") == "1")
        // The system's clock of changes ticks some hundred times a second.
        let before = try changed(scratch.store)
        while true {
            #expect(unsafe rename(scratch.store, scratch.path + "/elsewhere") == 0)
            if try changed(scratch.path + "/elsewhere") != before { break }
            #expect(unsafe rename(scratch.path + "/elsewhere", scratch.store) == 0)
        }
        passTick()
        #expect(await code { try await store.get("item") } == .missingStore)
        #expect(unsafe rename(scratch.path + "/elsewhere", scratch.store) == 0)
        #expect(try await store.get("item") == "1")
    }

    /// Until then a store may go by its last look, unless one who is counted wrote.
    private func passTick() {
        let tick = POSIXFiles().now
        while POSIXFiles().now == tick {}
    }

    private func changed(_ path: String) throws -> UInt64? {
        let file = try POSIXFiles().open(path, .read)
        defer { POSIXFiles().close(file) }
        return try POSIXFiles().datedStatus(of: file).changed
    }

    @Test("K-6: a store of others in the place of the one that the anchor knows is rolledBack")
    func foreignStore() async throws {
        let scratch = try Scratch()
        var configuration = scratch.configuration
        configuration.anchorPath = scratch.path + "/anchor"
        try await GcryptKeystore.open(configuration).put("1", "item")
        #expect(unsafe unlink(scratch.store) == 0)
        // Made without the anchor, under the same key.
        try await GcryptKeystore.open(scratch.configuration).put("other", "item")
        #expect(await code { try await GcryptKeystore.open(configuration) } == .rolledBack)
    }

    @Test("K-6: a copy moved over the file of a running process is rolledBack", arguments: [true, false])
    func copied(_ hasAnchor: Bool) async throws {
        let scratch = try Scratch()
        var configuration = scratch.configuration
        if hasAnchor { configuration.anchorPath = scratch.path + "/anchor" }
        let store = try await GcryptKeystore.open(configuration)
        try await store.put("1", "item")
        let old = try scratch.bytes()
        try await store.put("2", "item")
        try scratch.put(old, scratch.path + "/copy")
        _ = unsafe rename(scratch.path + "/copy", scratch.store)
        #expect(await code { try await store.put("3", "item") } == .rolledBack)
        #expect(await code { try await store.get("item") } == .rolledBack)
        #expect(try scratch.bytes() == old)
        guard hasAnchor else { return }
        #expect(
            await code { try await GcryptKeystore.open(configuration) } == .rolledBack,
            "the anchor still witnesses what was lost"
        )
    }

    @Test("K-6: a copy whose first commit is another one is rolledBack")
    func otherFirstCommit() async throws {
        let (scratch, elsewhere) = (try Scratch(), try Scratch())
        let store = try await GcryptKeystore.open(scratch.configuration)
        try elsewhere.put(scratch.bytes())
        var configuration = elsewhere.configuration
        configuration.credential = .keyFile(scratch.keyFile)
        let copy = try await GcryptKeystore.open(configuration)
        try await copy.put("2", "item")
        await copy.close()
        try await store.put("1", "item")
        try scratch.put(elsewhere.bytes(), scratch.path + "/copy")
        _ = unsafe rename(scratch.path + "/copy", scratch.store)
        #expect(await code { try await store.get("item") } == .rolledBack)
    }

    /// The whole file that a compaction of the store writes. It stays if the compaction is killed at the renaming.
    private func compacted(_ scratch: Scratch) async throws -> [UInt8] {
        let elsewhere = try Scratch()
        try elsewhere.put(scratch.bytes())
        var configuration = elsewhere.configuration
        configuration.credential = .keyFile(scratch.keyFile)
        let store = try await GcryptKeystore.open(configuration)
        try await store.compact()
        await store.close()
        return try elsewhere.bytes()
    }

    @Test(
        "K-6: the whole file of a killed compaction is rolledBack after a later commit",
        arguments: [true, false]
    )
    func killedCompaction(_ hasAnchor: Bool) async throws {
        let scratch = try Scratch()
        var configuration = scratch.configuration
        if hasAnchor { configuration.anchorPath = scratch.path + "/anchor" }
        let store = try await GcryptKeystore.open(configuration)
        try await store.put("1", "item")
        let left = try await compacted(scratch)
        try await store.put("2", "item")
        try scratch.put(left, scratch.path + "/copy")
        _ = unsafe rename(scratch.path + "/copy", scratch.store)
        #expect(await code { try await store.put("3", "item") } == .rolledBack)
        #expect(await code { try await store.get("item") } == .rolledBack)
        #expect(try scratch.bytes() == left)
        guard hasAnchor else { return }
        #expect(await code { try await GcryptKeystore.open(configuration) } == .rolledBack)
        #expect(await code { try await GcryptKeystore.check(configuration) } == .rolledBack)
        var bad = left
        bad[left.count - 20] ^= 1
        try scratch.put(bad)
        #expect(await code { try await GcryptKeystore.check(configuration) } == .rolledBack)
    }

    @Test("K-6, K-7: the whole file of a killed compaction that lacks no commit takes the place of the file")
    func completedCompaction() async throws {
        let scratch = try Scratch()
        var configuration = scratch.configuration
        configuration.anchorPath = scratch.path + "/anchor"
        let store = try await GcryptKeystore.open(configuration)
        try await store.put("1", "item")
        try scratch.put(try await compacted(scratch), scratch.path + "/copy")
        _ = unsafe rename(scratch.path + "/copy", scratch.store)
        try await store.put("2", "item")
        #expect(store.lastAnchorFailure == nil)
        #expect(try await GcryptKeystore.open(configuration).get("item") == "2")
    }

    @Test("K-7: a copy that lost nothing takes the place of the file, as a backup program puts it back")
    func restored() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("1", "item")
        let copy = scratch.path + "/copy"
        try scratch.put(try scratch.bytes(), copy)
        _ = unsafe rename(copy, scratch.store)
        try await store.put("2", "item")
        // A copy in which another process went on.
        try scratch.put(try scratch.bytes(), copy)
        _ = unsafe rename(copy, scratch.store)
        try await GcryptKeystore.open(scratch.configuration).put("3", "other")
        #expect(try await store.get("other") == "3")
        try await store.put("4", "item")
        #expect(try await GcryptKeystore.open(scratch.configuration).get("item") == "4")
    }

    @Test(
        "K-6: an older file that is written over the one of a running process is damage to it, and stays as it is"
    )
    func writtenOver() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("1", "item")
        let old = try scratch.bytes()
        try await store.put("2", "other")
        // There is room enough that both are of one size.
        #expect(try scratch.bytes().count == old.count)
        let files = POSIXFiles()
        let file = try files.open(scratch.store, .readWrite)
        defer { files.close(file) }
        try unsafe old.span.bytes.withUnsafeBytes { try unsafe files.write(file, $0, at: 0) }
        for _ in 0..<2 {
            #expect(await code { try await store.put("3", "item") } == .damaged)
            #expect(await code { try await store.get("item") } == .damaged)
        }
        #expect(try scratch.bytes() == old)
        #expect(try await GcryptKeystore.open(scratch.configuration).get("item") == "1")
    }

    @Test("K-6: commits of others while a store is opened do not make it look rolled back")
    func openedMeanwhile() async throws {
        let scratch = try Scratch()
        var configuration = scratch.configuration
        configuration.anchorPath = scratch.path + "/anchor"
        let store = try await GcryptKeystore.open(configuration)
        try await store.put("0", "item")
        try await withThrowingTaskGroup(of: Void.self) { [configuration] group in
            group.addTask {
                for round in 0..<400 where !Task.isCancelled {
                    try await store.put("\(round)", "item\(round % 7)")
                }
            }
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<60 {
                        let opened = try await GcryptKeystore.open(configuration)
                        await opened.close()
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
