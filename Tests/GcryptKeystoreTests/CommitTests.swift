import Foundation
import PortcullisCore
import Synchronization
import Testing

@testable import GcryptKeystore

@Suite("What a commit costs", .timeLimit(.minutes(10)))
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

    @Test("K-4: of commits that wait for longer than one frame takes, each is made")
    func frames() async throws {
        let scratch = try Scratch()
        let files = FaultyFiles()
        var configuration = scratch.configuration
        configuration.batchLimit = 1_000
        let store = try await GcryptKeystore.open(configuration, files: files)
        try await store.put("warm", "up")
        _ = files.counted()
        files.script.withLock { $0.beforeSync = { usleep(20_000) } }
        let text = String(repeating: "x", count: 400)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<10 { group.addTask { try await store.put(text, "item\(index)") } }
            try await group.waitForAll()
        }
        #expect((5...10).contains(files.counted()["fdatasync"] ?? 0), "two fit a frame")
        let again = try await GcryptKeystore.open(scratch.configuration)
        for index in 0..<10 { #expect(try await again.get("item\(index)") == text) }
    }

    @Test(
        "K-2: an item takes at most 192 bytes more than its payload, in steps of 64",
        arguments: [0, 1, 100, 256, 5000]
    )
    func sizes(_ count: Int) async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.tight)
        let before = try scratch.bytes().count
        let payload = count + "tests".utf8.count + "item".utf8.count
        try await store.put(String(repeating: "x", count: count), "item")
        let growth = try scratch.bytes().count - before
        #expect(growth % 64 == 0 && growth <= payload + 192)
    }

    @Test(
        "K-7: an unfinished tail is judged with the lock once; the commit in its place is seen, whatever its size",
        arguments: [false, true]
    )
    func tail(_ hasRoom: Bool) async throws {
        let scratch = try Scratch()
        let configuration = hasRoom ? scratch.configuration : scratch.tight
        func end() async throws -> Int { Int(try await GcryptKeystore.check(configuration).bytes) }
        let writer = try await GcryptKeystore.open(configuration)
        try await writer.put("0", "item")
        let first = try await end()
        try await writer.put("1", "item")
        let second = try await end()
        await writer.close()
        // The last sector of the last frame did not reach the disk: as long as the frame that comes in its place.
        var torn = try scratch.bytes()
        #expect((torn.count > second) == hasRoom)
        for place in max(first, (second - 1) / 512 * 512)..<second { torn[place] = 0 }
        try scratch.put(torn)
        let files = FaultyFiles()
        let store = try await GcryptKeystore.open(configuration, files: files)
        #expect(try await store.get("item") == "0")
        _ = files.counted()
        for _ in 0..<10 { #expect(try await store.get("item") == "0") }
        #expect(files.counted()["flock"] == nil)
        let other = try await GcryptKeystore.open(configuration)
        try await other.put("2", "item")
        #expect(try await end() == second)
        #expect(try await store.get("item") == "2")
    }

    @Test("K-7: a tail is judged with the lock once also where nothing in memory tells of other writers")
    func tailWithoutNotices() async throws {
        let disk = SimulatedDisk()
        let store = try await Setup.open(disk)
        try await store.put("0", "item")
        await store.close()
        let whole = try #require(disk.image[Setup.path])
        disk.replace(Setup.path, with: whole + [UInt8](repeating: 7, count: 20))
        let again = try await Setup.open(disk)
        #expect(try await again.get("item") == "0")
        disk.plan(nil)
        for _ in 0..<10 { #expect(try await again.get("item") == "0") }
        #expect(disk.calls.contains("pread") && !disk.calls.contains("flock"))
    }

    @Test("K-3: a batch that fails leaves nothing of it among those that are committed with it")
    func failsAmongOthers() async throws {
        let scratch = try Scratch()
        let files = FaultyFiles()
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        let first = try #require(try await store.put("old", "item0")).rawValue
        store.lock()
        files.script.withLock { $0.beforeSync = { usleep(5_000) } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<60 {
                group.addTask {
                    let found = await code {
                        try await store.commit([
                            .write(
                                secret("bad"),
                                to: name("item\(index)"),
                                accessibility: .afterFirstUnlock,
                                if: .none
                            ),
                            .remove(name("good\(index - 1)"), if: .none),
                            .write(
                                secret("bad"),
                                to: name("locked\(index)"),
                                accessibility: .whenUnlocked,
                                if: .none
                            ),
                        ])
                    }
                    #expect(found == .classLocked)
                }
                group.addTask { try await store.put("good", "good\(index)") }
            }
            try await group.waitForAll()
        }
        await store.close()
        let again = try await GcryptKeystore.open(scratch.configuration)
        let names = try await again.names(in: SecretNamespace("tests")).map(\.name)
        #expect(Set(names) == Set((0..<60).map { "good\($0)" } + ["item0"]))
        #expect(try await again.get("item0") == "old")
        var versions: [UInt64] = []
        for name in try await again.names(in: SecretNamespace("tests")) {
            versions += [try await again.read(name)?.version.rawValue ?? 0]
        }
        #expect(versions.sorted() == Array(first...first + 60), "nor does it use a version up")
        #expect(try await GcryptKeystore.check(scratch.configuration).damage.isEmpty)
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

    @Test("K-4: a compaction that failed is not tried again after every commit, and its error can be seen")
    func failingCompaction() async throws {
        let scratch = try Scratch()
        let files = FaultyFiles()
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        files.fail("rename", EIO)
        _ = files.counted()
        for round in 0..<700 { try await store.put("value \(round)", "same") }
        #expect(store.lastCompactionFailure?.code == .systemFailure)
        #expect(files.counted()["rename"] == 1)
        files.fail("rename", nil)
        for round in 0..<500 { try await store.put("value \(round)", "same") }
        #expect(store.lastCompactionFailure == nil)
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

    @Test("K-7: a lock held for too long is lockTimeout, and nothing is written")
    func lockTimeout() async throws {
        let scratch = try Scratch()
        var configuration = scratch.configuration
        configuration.lockTimeout = .milliseconds(100)
        let store = try await GcryptKeystore.open(configuration)
        try await store.put("v", "item")
        let before = try scratch.bytes()
        let lock = try HeldLock(scratch)
        #expect(await code { try await store.put("w", "item") } == .lockTimeout)
        #expect(try scratch.bytes() == before)
        lock.release()
        try await store.put("w", "item")
        #expect(try await store.get("item") == "w")
    }

    @Test("K-7: a held lock delays no timer and no read")
    func heldLock() async throws {
        let scratch = try Scratch()
        var configuration = scratch.configuration
        configuration.lockTimeout = .seconds(20)
        // As many waiting writers as would fill Swift's pool several times over.
        var stores: [GcryptKeystore] = []
        for _ in 0..<8 { stores.append(try await GcryptKeystore.open(configuration)) }
        try await stores[0].put("v", "item")
        let lock = try HeldLock(scratch)
        await withTaskGroup(of: Void.self) { group in
            for (index, store) in stores.enumerated() {
                group.addTask {
                    // Were the timers below held up by the waiting, the lock would stay, and this would time out.
                    let found = await code { try await store.put("w", "other\(index)") }
                    #expect(found == nil)
                }
            }
            group.addTask { [store = stores[0]] in
                for _ in 0..<20 {
                    try? await Task.sleep(for: .milliseconds(10))
                    #expect((try? await store.get("item")) == "v")
                }
                lock.release()
            }
        }
    }
}

/// A store's lock, held by somebody else.
struct HeldLock {
    private let file: Int32

    init(_ scratch: Scratch) throws {
        file = unsafe open(scratch.store + ".lock", O_RDWR | O_CLOEXEC)
        try #require(flock(file, LOCK_EX) == 0)
    }

    func release() { close(file) }
}
