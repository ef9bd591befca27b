import Foundation
import GcryptKeystore
import PortcullisCore
import Synchronization
import Testing

@Suite("Every row of K-10: its error, and the file untouched", .timeLimit(.minutes(10)))
struct ErrorTests {
    /// Runs `body` and demands this code, a path, and that the store's bytes stay as they were.
    private func demand(
        _ expected: SecretStoreError.Code,
        _ scratch: Scratch,
        _ body: () async throws -> Void,
        location: SourceLocation = #_sourceLocation
    ) async throws {
        let before = try? scratch.bytes()
        do {
            try await body()
            Issue.record("no error", sourceLocation: location)
        } catch let error as SecretStoreError {
            #expect(error.code == expected, "\(error)", sourceLocation: location)
            #expect(error.path != nil, sourceLocation: location)
        }
        #expect((try? scratch.bytes()) == before, sourceLocation: location)
    }

    private func filled() async throws -> Scratch {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.tight)
        try await store.put("v", "item")
        await store.close()
        return scratch
    }

    private func open(_ configuration: KeystoreConfiguration) async throws {
        _ = try await GcryptKeystore.open(configuration)
    }

    @Test("K-10: wrong key, wrong passphrase, wrong raw key")
    func wrongKey() async throws {
        let scratch = try await filled()
        var configuration = scratch.configuration
        let other = scratch.path + "/other.key"
        try scratch.put([UInt8](repeating: 7, count: 32), other)
        configuration.credential = .keyFile(other)
        try await demand(.wrongKey, scratch) { try await open(configuration) }
        configuration.credential = .passphrase(secret("nope"))
        try await demand(.wrongKey, scratch) { try await open(configuration) }
        configuration.credential = .rawKey(SecretBytes(randomCount: 32))
        try await demand(.wrongKey, scratch) { try await open(configuration) }
    }

    @Test("K-1: an existing store whose key file is missing is an error, never a new key")
    func keyMissing() async throws {
        let scratch = try await filled()
        try FileManager.default.removeItem(atPath: scratch.keyFile)
        try await demand(.keyMissing, scratch) { try await open(scratch.configuration) }
        #expect(!FileManager.default.fileExists(atPath: scratch.keyFile))
    }

    @Test("K-10: no store, and none to be made")
    func missing() async throws {
        let scratch = try Scratch()
        var configuration = scratch.configuration
        configuration.createsIfMissing = false
        try await demand(.missingStore, scratch) { try await open(configuration) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == [])
    }

    @Test("K-10: damaged, also when empty or no keystore at all")
    func damaged() async throws {
        let scratch = try await filled()
        let good = try scratch.bytes()
        for bad in [[], Array("hello".utf8), [UInt8](repeating: 0, count: 9000), Array(good[..<8192])] {
            try scratch.put(bad)
            try await demand(.damaged, scratch) { try await open(scratch.configuration) }
        }
    }

    @Test("K-10: a newer format is told apart from damage")
    func newer() async throws {
        let scratch = try await filled()
        var bytes = try scratch.bytes()
        for page in [0, 4096] {
            bytes[page + 8] = 2
            let digest = sha256(Array(bytes[page..<page + 4064]))
            bytes.replaceSubrange(page + 4064..<page + 4096, with: digest)
        }
        try scratch.put(bytes)
        try await demand(.newerFormat, scratch) { try await open(scratch.configuration) }
        bytes[9] ^= 1
        bytes[4096 + 9] ^= 1
        try scratch.put(bytes)
        try await demand(.damaged, scratch) { try await open(scratch.configuration) }
    }

    @Test("K-10: a symbolic link, other users' rights, something that is no file")
    func untrusted() async throws {
        let scratch = try await filled()
        let good = try scratch.bytes()
        _ = unsafe chmod(scratch.store, 0o640)
        try await demand(.untrustedFile, scratch) { try await open(scratch.configuration) }
        _ = unsafe chmod(scratch.store, 0o600)
        _ = unsafe chmod(scratch.keyFile, 0o644)
        try await demand(.untrustedFile, scratch) { try await open(scratch.configuration) }
        _ = unsafe chmod(scratch.keyFile, 0o600)
        _ = unsafe chmod(scratch.store + ".lock", 0o660)
        try await demand(.untrustedFile, scratch) { try await open(scratch.configuration) }
        _ = unsafe chmod(scratch.store + ".lock", 0o600)
        _ = unsafe chmod(scratch.path, 0o777)
        try await demand(.untrustedFile, scratch) { try await open(scratch.configuration) }
        _ = unsafe chmod(scratch.path, 0o700)
        _ = unsafe rename(scratch.store, scratch.path + "/real")
        _ = unsafe symlink(scratch.path + "/real", scratch.store)
        try await demand(.untrustedFile, scratch) { try await open(scratch.configuration) }
        _ = unsafe unlink(scratch.store)
        _ = unsafe mkdir(scratch.store, 0o700)
        try await demand(.untrustedFile, scratch) { try await open(scratch.configuration) }
        #expect(try scratch.bytes(scratch.path + "/real") == good)
    }

    @Test("K-10: a folder that a link leads to is one like any other, with all that is demanded of it")
    func linkedFolder() async throws {
        let scratch = try Scratch()
        let (real, link) = (scratch.path + "/real", scratch.path + "/link")
        try #require(unsafe mkdir(real, 0o700) == 0 && symlink(real, link) == 0)
        var configuration = scratch.tight
        // One folder is still to be made below it.
        configuration.path = link + "/data/store"
        configuration.credential = .keyFile(link + "/key")
        let store = try await GcryptKeystore.open(configuration)
        try await store.put("v", "item")
        try await store.compact()
        try await store.put("w", "other")
        await store.close()
        #expect(try await GcryptKeystore.check(configuration).items == 2)
        _ = unsafe chmod(real + "/data", 0o777)
        await #expect { try await open(configuration) } throws: {
            ($0 as? SecretStoreError)?.code == .untrustedFile
        }
        _ = unsafe chmod(real + "/data", 0o700)
        // The store's own file is no link, whatever its folder is.
        try #require(unsafe rename(real + "/data/store", real + "/data/moved") == 0)
        try #require(unsafe symlink(real + "/data/moved", real + "/data/store") == 0)
        await #expect { try await open(configuration) } throws: {
            ($0 as? SecretStoreError)?.code == .untrustedFile
        }
    }

    @Test("K-10: another owner", .enabled(if: geteuid() == 0))
    func owner() async throws {
        let scratch = try await filled()
        _ = unsafe chown(scratch.store, 12345, 12345)
        try await demand(.untrustedFile, scratch) { try await open(scratch.configuration) }
    }

    @Test(
        "K-10: what the system refuses while opening has its own code",
        arguments: [(EACCES, SecretStoreError.Code.notPermitted), (EIO, .systemFailure)]
    )
    func refusedOpening(_ number: Int32, _ expected: SecretStoreError.Code) async throws {
        let scratch = try await filled()
        let files = FaultyFiles()
        files.fail("open-write", number)
        try await demand(expected, scratch) {
            _ = try await GcryptKeystore.open(scratch.configuration, files: files)
        }
    }

    @Test(
        "K-10: what the system refuses while writing has its own code, and the next write works",
        arguments: [
            (ENOSPC, SecretStoreError.Code.diskFull), (EDQUOT, .diskFull), (EROFS, .readOnly),
            (EACCES, .notPermitted), (EIO, .systemFailure),
        ]
    )
    func refusedWriting(_ number: Int32, _ expected: SecretStoreError.Code) async throws {
        let scratch = try await filled()
        let files = FaultyFiles()
        let store = try await GcryptKeystore.open(scratch.tight, files: files)
        files.fail("pwrite", number)
        files.script.withLock { $0.shortWrite = 100 }
        try await demand(expected, scratch) { try await store.put("new", "item") }
        #expect(try await store.get("item") == "v")
        try await demand(expected, scratch) { try await store.compact() }
        files.fail("pwrite", nil)
        files.script.withLock { $0.shortWrite = nil }
        try await store.put("new", "item")
        #expect(try await store.get("item") == "new")
    }

    @Test(
        "K-10: a disk that has space for a commit and none for more room takes the commit",
        arguments: 0...3
    )
    func littleSpace(_ spare: Int) async throws {
        let scratch = try await filled()
        let files = FaultyFiles()
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        let taken = Set(0...UInt64(try scratch.bytes().count - 1) / 4096)
        // The value lies across two blocks that are not there yet.
        files.script.withLock { $0.blocks = (taken, taken.count + 2 + spare) }
        try await store.put(String(repeating: "x", count: 10_000), "item")
        #expect(try await store.get("item")?.utf8.count == 10_000)
        let report = try await GcryptKeystore.check(scratch.configuration)
        #expect(report.damage.isEmpty && !report.unfinishedTail)
    }

    @Test("K-10: a large commit that a full disk refuses leaves the room for small ones")
    func keptRoom() async throws {
        let scratch = try await filled()
        let files = FaultyFiles()
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        try await store.put("old", "item")
        let size = try scratch.bytes().count
        let taken = Set(0...UInt64(size - 1) / 4096)
        files.script.withLock { $0.blocks = (taken, taken.count) }
        let large = String(repeating: "x", count: 1 << 20)
        #expect(await code { try await store.put(large, "item") } == .diskFull)
        #expect(try scratch.bytes().count == size)
        for round in 0..<9 { try await store.put("\(round)", "item") }
        #expect(try scratch.bytes().count == size)
        #expect(try await GcryptKeystore.open(scratch.configuration).get("item") == "8")
    }

    @Test("K-7, K-10: a write on a closed store is not counted as one that has begun")
    func closed() async throws {
        let scratch = try await filled()
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("old", "item")
        await store.close()
        let before = try scratch.bytes(scratch.store + ".lock")
        try await demand(.closed, scratch) { try await store.put("new", "item") }
        #expect(try scratch.bytes(scratch.store + ".lock") == before)
    }

    @Test("K-3, K-10: a store whose name could not be synced is renamed again by its first writer")
    func unsyncedName() async throws {
        let scratch = try Scratch()
        let files = FaultyFiles()
        // The folder exists and the key file's name is synced.
        try scratch.put([UInt8](repeating: 7, count: 32), scratch.path + "/key")
        var configuration = scratch.configuration
        configuration.credential = .keyFile(scratch.path + "/key")
        files.script.withLock { script in
            script.beforeLink = { files.fail("fsync-folder", EIO) }
        }
        #expect(
            await code { try await GcryptKeystore.open(configuration, files: files) } == .durabilityUnknown
        )
        files.fail("fsync-folder", nil)
        let store = try await GcryptKeystore.open(configuration, files: files)
        _ = files.counted()
        try await store.put("v", "item")
        #expect(files.counted()["rename"] == 1)
        try await store.put("w", "item")
        #expect(files.counted()["rename"] == nil)
    }

    @Test(
        "K-5, K-10: a write that failed before its tag and could not be cut back is an unfinished tail",
        arguments: [false, true]
    )
    func tornWrite(_ hasRoom: Bool) async throws {
        let scratch = try await filled()
        let configuration = hasRoom ? scratch.configuration : scratch.tight
        let store = try await GcryptKeystore.open(configuration)
        try await store.put("old", "item")
        await store.close()
        let (start, whole) = (
            Int(try await GcryptKeystore.check(configuration).bytes), try scratch.bytes()
        )
        let value = String(repeating: "x", count: 500)
        for count in stride(from: 1, to: 600, by: 9) {
            try scratch.put(whole)
            let files = FaultyFiles()
            let torn = try await GcryptKeystore.open(configuration, files: files)
            files.fail("pwrite", EIO)
            files.fail("ftruncate", EIO)
            files.script.withLock { $0.shortWrite = count }
            #expect(await code { try await torn.put(value, "item") } == .systemFailure)
            #expect(try scratch.bytes().dropFirst(start).prefix(count).contains { $0 != 0 })
            await torn.close()
            let report = try await GcryptKeystore.check(configuration)
            #expect(report.damage.isEmpty && report.unfinishedTail, "\(count) bytes of the frame")
            guard report.damage.isEmpty else { continue }
            let next = try await GcryptKeystore.open(configuration)
            #expect(try await next.get("item") == "old")
            try await next.put("new", "item")
            #expect(try await GcryptKeystore.open(configuration).get("item") == "new")
        }
    }

    @Test("K-10: a failed sync is durabilityUnknown, never retried, until the store is opened again")
    func failedSync() async throws {
        let scratch = try await filled()
        let files = FaultyFiles()
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        files.fail("fdatasync", EIO)
        #expect(await code { try await store.put("new", "item") } == .durabilityUnknown)
        files.fail("fdatasync", nil)
        _ = files.counted()
        #expect(await code { try await store.put("newer", "item") } == .durabilityUnknown)
        #expect(await code { try await store.get("item") } == .durabilityUnknown)
        #expect(files.counted()["fdatasync"] == nil)
        let again = try await GcryptKeystore.open(scratch.configuration)
        let found = try await again.get("item")
        #expect(found == "v" || found == "new")
        let inode = try FileManager.default.attributesOfItem(atPath: scratch.store)[.systemFileNumber] as? Int
        try await again.put("after", "item")
        let now = try FileManager.default.attributesOfItem(atPath: scratch.store)[.systemFileNumber] as? Int
        #expect(now != inode, "nothing is built on a file whose sync failed: it is written anew")
        try await again.put("twice", "item")
        let later = try FileManager.default.attributesOfItem(atPath: scratch.store)[.systemFileNumber] as? Int
        #expect(later == now)
    }

    @Test("K-10: a failed compaction leaves the store as it was", arguments: ["rename", "open-write"])
    func failedCompaction(_ call: String) async throws {
        let scratch = try await filled()
        let files = FaultyFiles()
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        files.fail(call, ENOSPC)
        try await demand(.diskFull, scratch) { try await store.compact() }
        #expect(try await store.get("item") == "v")
        #expect(!FileManager.default.fileExists(atPath: scratch.store + ".new"))
    }

    @Test("K-10: too large a value, a name twice, a closed store")
    func callers() async throws {
        let scratch = try await filled()
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await demand(.tooLarge, scratch) {
            let big = SecretBytes(randomCount: (64 << 20) + 1)
            try await store.write(big, to: name("big"), accessibility: .whenUnlocked)
        }
        await store.close()
        try await demand(.closed, scratch) { try await store.put("x", "x") }
        try await demand(.closed, scratch) { _ = try await store.get("item") }
    }

    @Test("K-6: with an anchor an older, a shortened and a missing store are rolledBack")
    func rolledBack() async throws {
        let scratch = try Scratch()
        var configuration = scratch.configuration
        configuration.anchorPath = scratch.path + "/anchor"
        let store = try await GcryptKeystore.open(configuration)
        try await store.put("1", "item")
        let old = try scratch.bytes()
        try await store.put("2", "item")
        await store.close()
        _ = try await GcryptKeystore.open(configuration)
        try scratch.put(old)
        try await demand(.rolledBack, scratch) { try await open(configuration) }
        _ = unsafe unlink(scratch.store)
        try await demand(.rolledBack, scratch) { try await open(configuration) }
        #expect(!FileManager.default.fileExists(atPath: scratch.store))
    }

    @Test("K-10: no error says a value, a key or a passphrase")
    func silent() async throws {
        let scratch = try await filled()
        var configuration = scratch.configuration
        configuration.credential = .passphrase(secret("correct horse"))
        do {
            try await open(configuration)
        } catch {
            var dumped = ""
            dump(error, to: &dumped)
            #expect(!"\(error)\(dumped)".contains("horse"))
        }
        var shown = ""
        dump(configuration, to: &shown)
        #expect(!shown.contains("horse"))
    }
}

/// SHA-256 of the system's tool, so that the test does not trust the code under test.
func sha256(_ bytes: [UInt8]) -> [UInt8] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sha256sum"]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    do { try process.run() } catch { return [] }
    input.fileHandleForWriting.write(Data(bytes))
    input.fileHandleForWriting.closeFile()
    let text = Array(output.fileHandleForReading.readDataToEndOfFile().prefix(64))
    process.waitUntilExit()
    return stride(from: 0, to: text.count, by: 2).compactMap {
        UInt8(String(decoding: text[$0..<$0 + 2], as: UTF8.self), radix: 16)
    }
}
