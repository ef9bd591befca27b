import Foundation
import GcryptKeystore
import PortcullisCore
import Synchronization
import Testing

@Suite("What a commit costs")
struct CommitTests {
    @Test("K-4: a commit is one append and one data sync, however many items it has")
    func costs() async throws {
        let scratch = try Scratch()
        let files = FaultyFiles()
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        try await store.put("warm", "up")
        _ = files.counted()
        _ = try await store.commit(
            (0..<50).map {
                .write(secret("v"), to: try name("item\($0)"), accessibility: .whenUnlocked, if: .none)
            }
        )
        let counts = files.counted()
        #expect(counts["pwrite"] == 1)
        #expect(counts["fdatasync"] == 1)
        #expect(counts["rename"] == nil && counts["fsync-folder"] == nil)
    }

    @Test("K-4: concurrent commits share a sync")
    func shares() async throws {
        let scratch = try Scratch()
        let files = FaultyFiles()
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        try await store.put("warm", "up")
        _ = files.counted()
        files.script.withLock { $0.beforeSync = { usleep(20_000) } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<40 { group.addTask { try await store.put("v\(index)", "item\(index)") } }
            try await group.waitForAll()
        }
        let syncs = files.counted()["fdatasync"] ?? 0
        #expect((1...20).contains(syncs), "40 commits, \(syncs) syncs")
        let again = try await GcryptKeystore.open(scratch.configuration)
        for index in 0..<40 { #expect(try await again.get("item\(index)") == "v\(index)") }
    }

    @Test("K-4: a get is one fstat and one pread")
    func getCosts() async throws {
        let scratch = try Scratch()
        let files = FaultyFiles()
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        try await store.put("v", "item")
        _ = files.counted()
        #expect(try await store.get("item") == "v")
        #expect(files.counted() == ["fstat": 1, "pread": 1])
    }

    @Test("K-3: of concurrent compare-and-sets on one version exactly one wins")
    func oneWins() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        let second = try await GcryptKeystore.open(scratch.configuration)
        let version = try #require(try await store.put("0", "cas"))
        let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<20 {
                group.addTask {
                    let outcome = try await (index % 2 == 0 ? store : second).write(
                        secret("\(index)"),
                        to: name("cas"),
                        accessibility: .afterFirstUnlock,
                        if: .version(version)
                    )
                    if case .written = outcome { return true } else { return false }
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(wins == 1)
    }

    @Test("K-4: dead space is reclaimed by itself once it dominates")
    func compactsItself() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        for round in 0..<400 { try await store.put("value \(round)", "same") }
        await store.close()
        #expect(try scratch.bytes().count < 8192 + 80 * 1024)
        let again = try await GcryptKeystore.open(scratch.configuration)
        #expect(try await again.get("same") == "value 399")
    }

    @Test("K-9: changes of this process are signalled, merged, and only in their namespace")
    func signals() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        var mine = store.changes(in: try SecretNamespace("tests")).makeAsyncIterator()
        var others = store.changes(in: try SecretNamespace("others")).makeAsyncIterator()
        try await store.put("1", "a")
        try await store.put("2", "a")
        #expect(await mine.next() != nil)
        await store.close()
        #expect(await mine.next() == nil)
        #expect(await others.next() == nil)
    }

    @Test("K-7: a held lock delays no timer and no read, and ends as lockTimeout")
    func heldLock() async throws {
        let scratch = try Scratch()
        var configuration = scratch.configuration
        configuration.lockTimeout = .milliseconds(600)
        let store = try await GcryptKeystore.open(configuration)
        try await store.put("v", "item")
        let lock = unsafe open(scratch.store + ".lock", O_RDWR)
        #expect(flock(lock, LOCK_EX) == 0)
        defer { close(lock) }
        // As many waiting writers as would fill Swift's pool several times over.
        let stores = try await withThrowingTaskGroup(of: GcryptKeystore.self) { group in
            for _ in 0..<8 {
                group.addTask { [configuration] in try await GcryptKeystore.open(configuration) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let before = try scratch.bytes()
        await withTaskGroup(of: Void.self) { group in
            for store in stores {
                group.addTask {
                    let found = await code { try await store.put("w", "item") }
                    #expect(found == .lockTimeout)
                }
            }
            group.addTask {
                for _ in 0..<10 {
                    let start = ContinuousClock.now
                    try? await Task.sleep(for: .milliseconds(10))
                    #expect(ContinuousClock.now - start < .milliseconds(250))
                    #expect((try? await store.get("item")) == "v")
                }
            }
        }
        #expect(try scratch.bytes() == before)
    }
}
