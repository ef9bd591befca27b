#if os(Linux)
import Foundation
import GcryptKeystore
import PortcullisCore
import Synchronization
import Testing

@Suite(
    "What a handle sees in the tick of the clock in which it last looked at its file",
    .timeLimit(.minutes(10))
)
struct TickTests {
    /// A store with an item "old", and two handles for which the time stands still.
    private func handles(
        _ configuration: KeystoreConfiguration,
        _ files: FaultyFiles
    ) async throws -> (reader: GcryptKeystore, writer: GcryptKeystore) {
        files.script.withLock { $0.now = 5_000_000_000 }
        let writer = try await GcryptKeystore.open(configuration, files: files)
        try await put("old", by: writer, files)
        return (try await GcryptKeystore.open(configuration, files: files), writer)
    }

    /// Puts a value there, and waits until that is said to be at its end, which comes after the answer.
    private func put(_ value: String, by store: GcryptKeystore, _ files: FaultyFiles) async throws {
        try await store.put(value, "item")
        try await files.unlocked()
    }

    /// Whether a read asks for nothing but the value's bytes.
    private func isRead(_ value: String, by store: GcryptKeystore, _ files: FaultyFiles) async throws -> Bool
    {
        try await files.unlocked()
        _ = files.counted()
        #expect(try await store.get("item") == value)
        return files.counted() == ["pread": 1]
    }

    @Test("K-4, K-7: what others commit, compact or remove is seen at once")
    func others() async throws {
        let (scratch, files) = (try Scratch(), FaultyFiles())
        let (reader, writer) = try await handles(scratch.configuration, files)
        for round in 0..<5 {
            try await put("\(round)", by: writer, files)
            // Takes it in, and looks.
            for _ in 0..<2 { #expect(try await reader.get("item") == "\(round)") }
            #expect(try await isRead("\(round)", by: reader, files))
        }
        try await writer.compact()
        try await put("compacted", by: writer, files)
        for _ in 0..<2 { #expect(try await reader.get("item") == "compacted") }
        #expect(try await isRead("compacted", by: reader, files))
        _ = try await writer.remove(name("item"), if: .none)
        #expect(try await reader.get("item") == nil)
    }

    @Test("K-7: a write that others are at is not taken for one that has ended")
    func underWay() async throws {
        let (scratch, files) = (try Scratch(), FaultyFiles())
        let (reader, writer) = try await handles(scratch.configuration, files)
        #expect(try await reader.get("item") == "old")
        let turn = Turn()
        files.script.withLock { script in
            script.beforeWrite = {
                turn.take { try await demand("old", reader) }
            }
        }
        try await writer.put("new", "item")
        let end = try #require(turn.outcome, "the reader had no turn")
        if let end { throw end }
        #expect(try await reader.get("item") == "new")
    }

    @Test("K-7: what others commit while a reader looks is not missed by the next read", arguments: 1...3)
    func whileLooking(_ step: Int) async throws {
        let (scratch, files) = (try Scratch(), FaultyFiles())
        // Without room behind the frames a commit is known by the file's size alone.
        let (reader, _) = try await handles(scratch.tight, files)
        let other = try await GcryptKeystore.open(scratch.tight)
        let turn = Turn()
        let write: @Sendable () -> Void = { turn.take { try await other.put("new", "item") } }
        files.script.withLock { script in
            switch step {
            case 1: script.beforeStatus = write
            case 2: script.afterStatus = write
            default: script.beforeRead = (1, write)
            }
        }
        _ = try await Task(executorPreference: Aside()) { try await reader.get("item") }.value
        let end = try #require(turn.outcome, "the other had no turn")
        if let end { throw end }
        #expect(try await reader.get("item") == "new")
    }

    @Test("K-7: what others commit while the store's queue looks is not missed by the next read")
    func whileRefreshing() async throws {
        let (scratch, files) = (try Scratch(), FaultyFiles())
        let (reader, _) = try await handles(scratch.tight, files)
        #expect(try await reader.get("item") == "old")
        let other = try await GcryptKeystore.open(scratch.tight)
        let turn = Turn()
        files.script.withLock { $0.afterStatus = { turn.take { try await other.put("new", "item") } } }
        _ = try await reader.slots()
        let end = try #require(turn.outcome, "the other had no turn")
        if let end { throw end }
        #expect(try await reader.get("item") == "new")
    }

    @Test("K-7: a write that others are at while the store's queue looks is not taken for one that has ended")
    func underWayWhileRefreshing() async throws {
        let (scratch, files) = (try Scratch(), FaultyFiles())
        let (reader, writer) = try await handles(scratch.configuration, files)
        #expect(try await reader.get("item") == "old")
        let turn = Turn()
        files.script.withLock { $0.beforeWrite = { turn.take { _ = try await reader.slots() } } }
        try await writer.put("new", "item")
        let end = try #require(turn.outcome, "the reader had no turn")
        if let end { throw end }
        #expect(try await reader.get("item") == "new")
    }

    @Test("K-6: damage is told of at every read, not once")
    func damage() async throws {
        let (scratch, files) = (try Scratch(), FaultyFiles())
        let (reader, _) = try await handles(scratch.configuration, files)
        #expect(try await reader.get("item") == "old")
        let pages = try scratch.bytes()[..<8192]
        let other = try await GcryptKeystore.open(scratch.configuration)
        _ = try await other.addSlot(.keyFile(scratch.path + "/second.key"))
        let file = try POSIXFiles().open(scratch.store, .readWrite)
        defer { POSIXFiles().close(file) }
        try unsafe Array(pages).span.bytes.withUnsafeBytes {
            try unsafe POSIXFiles().write(file, $0, at: 0)
        }
        for _ in 0..<3 { #expect(await code { try await reader.get("item") } == .damaged) }
    }

    @Test("K-4: a change that is refused keeps nobody from reading with one call")
    func refused() async throws {
        let (scratch, files) = (try Scratch(), FaultyFiles())
        let (reader, writer) = try await handles(scratch.configuration, files)
        #expect(await code { try await writer.removeSlot(999) } == .invalidSlot)
        try await files.unlocked()
        #expect(try await reader.get("item") == "old")
        #expect(try await isRead("old", by: reader, files))
    }

    @Test("K-4: a store made anew where a sync had failed is read with one call")
    func madeAnew() async throws {
        let (scratch, files) = (try Scratch(), FaultyFiles())
        let (_, writer) = try await handles(scratch.configuration, files)
        files.fail("fdatasync", EIO)
        #expect(await code { try await writer.put("new", "item") } == .durabilityUnknown)
        files.fail("fdatasync", nil)
        try POSIXFiles().unlink(scratch.store)
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        #expect(try await store.get("item") == nil)
        _ = files.counted()
        #expect(try await store.get("item") == nil)
        #expect(files.counted() == [:])
    }

    @Test("K-7: what a failed sync leaves in doubt is not read by the notice alone")
    func failedSync() async throws {
        let (scratch, files) = (try Scratch(), FaultyFiles())
        let (reader, _) = try await handles(scratch.configuration, files)
        #expect(try await reader.get("item") == "old")
        var notice = try scratch.bytes(scratch.store + ".lock")
        notice[0] = 1
        try scratch.put(notice, scratch.store + ".lock", inPlace: true)
        #expect(try await isRead("old", by: reader, files) == false)
    }

    @Test("K-7: a killed holder's lock is free although its child has a copy of what it had in memory")
    func inheritedMapping() throws {
        let (scratch, files) = (try Scratch(), POSIXFiles())
        try scratch.put([UInt8](repeating: 0, count: 12))
        let file = try files.open(scratch.store, .readWrite)
        let words = try #require(files.share(file, at: scratch.store, words: 3))
        #expect(try files.tryLock(file))
        // As at the holder's end: its descriptors are closed, and the lock is not given back.
        files.close(file)
        let other = try files.open(scratch.store, .readWrite)
        defer { files.close(other) }
        #expect(try files.tryLock(other))
        #expect(words.load(0) == 0)
    }

    @Test("K-7: after a writer that was killed each read looks at the file, until the next commit")
    func killedWriter() async throws {
        let (scratch, files) = (try Scratch(), FaultyFiles())
        let (reader, writer) = try await handles(scratch.configuration, files)
        #expect(try await reader.get("item") == "old")
        var notice = try scratch.bytes(scratch.store + ".lock")
        notice[4] += 1
        try scratch.put(notice, scratch.store + ".lock", inPlace: true)
        for _ in 0..<3 { #expect(try await isRead("old", by: reader, files) == false) }
        try await put("new", by: writer, files)
        for _ in 0..<2 { #expect(try await reader.get("item") == "new") }
        #expect(try await isRead("new", by: reader, files))
    }

    @Test("K-7: a put that reads the notice in memory settles what a killed writer left, or a failed sync")
    func putAfterOthers() async throws {
        let (scratch, files) = (try Scratch(), FaultyFiles())
        let (_, writer) = try await handles(scratch.configuration, files)
        let lock = scratch.store + ".lock"
        func calls(changing byte: Int? = nil) async throws -> [String: Int] {
            var notice = try scratch.bytes(lock)
            if let byte { notice[byte] += 1 }
            try scratch.put(notice, lock, inPlace: true)
            _ = files.counted()
            try await put("new", by: writer, files)
            return files.counted()
        }
        let usual = try await calls()
        #expect(
            usual["pread"] == 1 && usual["fdatasync"] == 1,
            "what lies behind the last frame, and not the notice"
        )
        let afterKilled = try await calls(changing: 4)
        #expect(afterKilled["fdatasync"] == 2 && afterKilled["fsync-folder"] == 1)
        #expect(try await calls() == usual)
        let afterFailed = try await calls(changing: 0)
        #expect(afterFailed["rename"] == 1, "the store is written anew")
        #expect(try scratch.bytes(lock)[0] == 0)
        #expect(try await calls() == usual)
        #expect(try await writer.get("item") == "new")
    }

    @Test("K-7: a notice that was cut off is not looked at any more in the next tick")
    func cutNotice() async throws {
        let (scratch, files) = (try Scratch(), FaultyFiles())
        let (reader, writer) = try await handles(scratch.configuration, files)
        #expect(try await reader.get("item") == "old")
        try scratch.put([], scratch.store + ".lock", inPlace: true)
        files.script.withLock { $0.now = 5_004_000_000 }
        for _ in 0..<3 { #expect(try await isRead("old", by: reader, files) == false) }
        try await put("new", by: writer, files)
        for _ in 0..<2 { #expect(try await reader.get("item") == "new") }
        #expect(try await isRead("new", by: reader, files))
    }

    @Test("K-10: a file that was moved away is missed in the next tick")
    func moved() async throws {
        let (scratch, files) = (try Scratch(), FaultyFiles())
        let (reader, _) = try await handles(scratch.configuration, files)
        #expect(try await reader.get("item") == "old")
        try POSIXFiles().rename(scratch.store, to: scratch.path + "/elsewhere")
        files.script.withLock { $0.now = 5_004_000_000 }
        #expect(await code { try await reader.get("item") } == .missingStore)
    }

    @Test("K-4: shared words are what was last written to their file, whoever wrote it")
    func words() throws {
        let (scratch, files) = (try Scratch(), POSIXFiles())
        try scratch.put([1, 0, 0, 0, 2, 3, 0, 0])
        let file = try files.open(scratch.store, .read)
        defer { files.close(file) }
        let words = try #require(files.share(file, at: scratch.store, words: 2))
        #expect(words.load(0) == 1 && words.load(1) == 0x302)
        try scratch.put([9, 0, 0, 1, 2, 3, 0, 0], inPlace: true)
        #expect(words.load(0) == 0x1_0000_09 && words.load(1) == 0x302)
        let folder = try files.open(scratch.path, .read)
        defer { files.close(folder) }
        #expect(files.share(folder, at: scratch.path, words: 2) == nil)
        #expect(files.share(folder, at: scratch.store, words: 2) == nil, "another file has the name")
    }
}
#endif
