import Foundation
import GcryptKeystore
import PortcullisCore
import Synchronization
import Testing

@Suite("A lock's file that is removed or replaced while stores are open", .timeLimit(.minutes(10)))
struct RemovedLockTests {
    private let scratch: Scratch
    private var lock: String { scratch.store + ".lock" }
    /// A configuration that waits for a lock only as long as a test can wait.
    private var impatient: KeystoreConfiguration {
        var configuration = scratch.configuration
        configuration.lockTimeout = .milliseconds(100)
        return configuration
    }

    init() throws { scratch = try Scratch() }

    private func remove() throws { try POSIXFiles().unlink(lock) }

    private var exists: Bool { FileManager.default.fileExists(atPath: lock) }

    /// Demands that the stores, and one that is opened now, have these items, and that a check finds no damage.
    private func demandItems(_ items: [String], in stores: [GcryptKeystore]) async throws {
        for store in stores + [try await GcryptKeystore.open(scratch.configuration)] {
            for item in items { #expect(try await store.get(item) == "v", "\(item)") }
        }
        #expect(try await GcryptKeystore.check(scratch.configuration).damage.isEmpty)
    }

    // MARK: Writers

    @Test("K-7: after its lock's file was removed, an open store does not write beside a later one")
    func exclusion() async throws {
        let files = FaultyFiles()
        let first = try await GcryptKeystore.open(scratch.configuration, files: files)
        try await first.put("v", "before")
        try await files.unlocked()
        try remove()
        let second = try await GcryptKeystore.open(impatient)
        let turn = Turn()
        files.script.withLock { $0.beforeWrite = { turn.take { try await second.put("v", "second") } } }
        try await first.put("v", "first")
        let end = try #require(turn.outcome, "the second store had no turn")
        #expect((end as? SecretStoreError)?.code == .lockTimeout)
        try await files.unlocked()
        try await second.put("v", "second")
        try await demandItems(["before", "first", "second"], in: [first, second])
    }

    @Test("K-7: stores that write at once lose nothing acknowledged after the lock's file was removed")
    func concurrent() async throws {
        let first = try await GcryptKeystore.open(scratch.configuration)
        try await first.put("v", "before")
        try remove()
        let second = try await GcryptKeystore.open(scratch.configuration)
        let stores = [first, second]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, store) in stores.enumerated() {
                group.addTask { for round in 0..<100 { try await store.put("v", "\(number)-\(round)") } }
            }
            try await group.waitForAll()
        }
        let items = (0..<2).flatMap { number in (0..<100).map { "\(number)-\($0)" } }
        try await demandItems(["before"] + items, in: stores)
    }

    @Test(
        "K-7: a lock's file that is removed, moved or replaced just before it is locked is not the lock",
        arguments: ["removed", "moved", "replaced"]
    )
    func beforeLock(_ how: String) async throws {
        let files = FaultyFiles()
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        try await store.put("v", "before")
        try await files.unlocked()
        let (lock, scratch) = (lock, scratch)
        files.script.withLock { script in
            script.beforeLock = {
                switch how {
                case "removed": try? POSIXFiles().unlink(lock)
                case "moved": try? POSIXFiles().rename(lock, to: lock + ".old")
                default:
                    try? scratch.put([UInt8](repeating: 0, count: 12), lock + ".old")
                    try? POSIXFiles().rename(lock + ".old", to: lock)
                }
            }
        }
        let turn = Turn()
        let second = impatient
        files.script.withLock { script in
            script.beforeWrite = {
                turn.take { try await GcryptKeystore.open(second).put("v", "second") }
            }
        }
        try await store.put("v", "first")
        let end = try #require(turn.outcome, "the second store had no turn")
        #expect((end as? SecretStoreError)?.code == .lockTimeout)
        try await demandItems(["before", "first"], in: [store])
    }

    @Test("K-7: a lock's file that is removed at each try ends in lockTimeout, and nothing is written")
    func always() async throws {
        let files = FaultyFiles()
        let store = try await GcryptKeystore.open(impatient, files: files)
        try await store.put("v", "before")
        try await files.unlocked()
        let before = try scratch.bytes()
        let lock = lock
        @Sendable func removeAtNextTry() {
            files.script.withLock { script in
                script.beforeLock = {
                    try? POSIXFiles().unlink(lock)
                    removeAtNextTry()
                }
            }
        }
        removeAtNextTry()
        #expect(await code { try await store.put("v", "first") } == .lockTimeout)
        #expect(try scratch.bytes() == before)
        files.script.withLock { $0.beforeLock = nil }
        try await store.put("v", "first")
        try await demandItems(["before", "first"], in: [store])
    }

    @Test("K-7: a compaction whose lock's file is removed meanwhile does not replace the store's file")
    func compaction() async throws {
        let files = FaultyFiles()
        let first = try await GcryptKeystore.open(scratch.configuration, files: files)
        try await first.put("v", "before")
        let (turn, lock, configuration) = (Turn(), lock, scratch.configuration)
        let isDone = Atomic(false)
        files.script.withLock { script in
            script.beforeSync = {
                guard !isDone.exchange(true, ordering: .relaxed) else { return }
                try? POSIXFiles().unlink(lock)
                turn.take { try await GcryptKeystore.open(configuration).put("v", "second") }
            }
        }
        #expect(await code { try await first.compact() } == .systemFailure)
        let end = try #require(turn.outcome, "the second store had no turn")
        if let end { throw end }
        try await demandItems(["before", "second"], in: [first])
        try await first.compact()
        try await demandItems(["before", "second"], in: [first])
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        #expect(!left.contains { $0.hasSuffix(".new") }, "\(left)")
    }

    @Test("K-5: the first write after the lock's file was removed syncs what an unknown writer may have left")
    func settles() async throws {
        let files = FaultyFiles()
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        func syncs() async throws -> [Int] {
            try await files.unlocked()
            _ = files.counted()
            try await store.put("v", "item")
            try await files.unlocked()
            let counts = files.counted()
            return [counts["fdatasync"] ?? 0, counts["fsync-folder"] ?? 0]
        }
        _ = try await syncs()
        #expect(try await syncs() == [1, 0])
        try remove()
        #expect(try await syncs() == [2, 1])
        #expect(try await syncs() == [1, 0])
    }

    @Test("K-10: a failed sync is noted where other processes look, also after the lock's file was removed")
    func failedSync() async throws {
        let files = FaultyFiles()
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        try await store.put("v", "before")
        try await files.unlocked()
        let lock = lock
        files.script.withLock { $0.beforeSync = { try? POSIXFiles().unlink(lock) } }
        files.fail("fdatasync", EIO)
        #expect(await code { try await store.put("v", "first") } == .durabilityUnknown)
        #expect(try scratch.bytes(lock).first == 1)
        #expect(try POSIXFiles().status(at: lock)?.mode == 0o600)
    }

    // MARK: Readers

    @Test("K-7: a reader looks at a lock's file that was made anew from the next tick of the clock on")
    func reader() async throws {
        let files = FaultyFiles()
        files.script.withLock { $0.now = 5_000_000_000 }
        let reader = try await GcryptKeystore.open(scratch.configuration, files: files)
        try await reader.put("old", "item")
        try await demand("old", reader)
        try remove()
        let writer = try await GcryptKeystore.open(scratch.configuration)
        try await writer.put("1", "item")
        files.script.withLock { $0.now = 5_010_000_000 }
        try await demand("1", reader)
        // Within the tick in which the reader looked last.
        for round in 2..<6 {
            try await writer.put("\(round)", "item")
            try await demand("\(round)", reader)
        }
    }

    @Test("K-7: the counts in a lock's file that was put back are not taken for those of the file before")
    func sameCounts() async throws {
        let files = FaultyFiles()
        files.script.withLock { $0.now = 5_000_000_000 }
        let reader = try await GcryptKeystore.open(scratch.configuration, files: files)
        try await reader.put("before", "item")
        try await files.unlocked()
        let known = try scratch.bytes(lock)
        try await reader.put("old", "item")
        try await files.unlocked()
        try await demand("old", reader)
        // A copy of the lock's file with one write less, put back as a restore does it.
        try scratch.put(known, lock + ".copy")
        try POSIXFiles().rename(lock + ".copy", to: lock)
        let writer = try await GcryptKeystore.open(scratch.configuration, files: files)
        let turn = Turn()
        // The reader learns of the file while the write is under way that brings it to the count that the reader knows.
        files.script.withLock { $0.beforeWrite = { turn.take { _ = try await reader.slots() } } }
        try await writer.put("new", "item")
        let end = try #require(turn.outcome, "the reader had no turn")
        if let end { throw end }
        try await files.unlocked()
        #expect(try await reader.get("item") == "new")
    }

    @Test("K-7: while there is no lock's file a store is read, and the next write makes the file")
    func missing() async throws {
        let files = FaultyFiles()
        let store = try await GcryptKeystore.open(impatient, files: files)
        try await store.put("v", "item")
        try await files.unlocked()
        try remove()
        try await demand("v", store)
        _ = try await store.slots()
        #expect(!exists)
        try await store.put("w", "item")
        #expect(try POSIXFiles().status(at: lock)?.mode == 0o600)
        try await demand("w", store)
        try await files.unlocked()
        let held = try HeldLock(scratch)
        #expect(await code { try await store.put("x", "item") } == .lockTimeout)
        held.release()
        try await store.put("x", "item")
    }

    @Test("K-10: another file in the lock's place is refused by writers, stays as it is, and stops no reader")
    func foreign() async throws {
        let files = FaultyFiles()
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        try await store.put("v", "item")
        try await files.unlocked()
        try remove()
        let letter = [UInt8]("a letter that is no lock\n".utf8)
        try scratch.put(letter, lock)
        #expect(await code { try await store.put("w", "item") } == .untrustedFile)
        try await demand("v", store)
        #expect(try scratch.bytes(lock) == letter)
        try remove()
        try await store.put("w", "item")
        try await demand("w", store)
    }
}
