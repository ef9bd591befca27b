import LinuxSystem
import GcryptKeystore
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

/// Counts are held and not times: they are the same on every machine, however busy it is.
@Suite("What operations cost in system calls", .timeLimit(.minutes(10)))
struct CostTests {
    #if os(Linux)
    /// The reads that a look at the notice in the lock's file takes, besides the question for the file at its path.
    private static let notice = 0
    /// What a look at the file takes that finds it as it was.
    private static let look = ["lstat": 1, "fstat": 1]
    #else
    private static let notice = 1
    private static let look = ["lstat": 1, "fstat": 1, "pread": 1]
    #endif

    @Test("K-4: a put makes the same nine calls, whatever the number of items", arguments: [1, 3000])
    func put(_ count: Int) async throws {
        let scratch = try Scratch()
        let files = CountedFiles()
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        try await fill(store, count)
        _ = try await files.counted()
        try await store.put("v", "item0")
        // The lock, its place and its note before and after; the store's place and size, and what others appended; one
        // write and its sync.
        #expect(
            try await files.counted() == [
                "flock": 1, "unlock": 1, "pread": Self.notice + 1, "note": 2, "lstat": 2, "pwrite": 1,
                "fdatasync": 1,
            ]
        )
    }

    @Test("K-4: a get makes the same three calls, whatever the number of items", arguments: [1, 3000])
    func get(_ count: Int) async throws {
        let scratch = try Scratch()
        let files = CountedFiles()
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        try await fill(store, count)
        _ = try await files.counted()
        // The file is seen to stay as it is.
        for _ in 0..<2 { _ = try await store.get("item0") }
        _ = try await files.counted()
        _ = try await store.get("item0")
        #expect(try await files.counted() == ["lstat": 1, "fstat": 1, "pread": Self.notice + 1])
        #expect(try await store.get("nothing") == nil)
        #expect(try await files.counted() == Self.look)
        _ = try await store.names(in: SecretNamespace("tests"))
        #expect(try await files.counted() == Self.look)
    }

    #if os(Linux)
    @Test(
        "K-4: a put in the tick of the clock of the one before reads the notice of those who write in memory"
    )
    func putSoonAfter() async throws {
        let scratch = try Scratch()
        let files = CountedFiles()
        files.stands.store(true, ordering: .relaxed)
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        for round in 0..<3 {
            try await store.put("\(round)", "item")
            let expected = [
                "flock": 1, "unlock": 1, "pread": 1, "note": 2, "lstat": 2, "pwrite": 1, "fdatasync": 1,
            ]
            let counts = try await files.counted()
            if round > 0 { #expect(counts == expected) }
        }
        #expect(try await store.get("item") == "2")
    }

    @Test(
        "K-4: a get in the same tick of the clock makes one call, right after a put, too",
        arguments: [1, 3000]
    )
    func getSoonAfter(_ count: Int) async throws {
        let scratch = try Scratch()
        let files = CountedFiles()
        files.stands.store(true, ordering: .relaxed)
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        try await fill(store, count)
        _ = try await files.counted()
        _ = try await store.get("item0")
        _ = try await files.counted()
        _ = try await store.get("item0")
        #expect(try await files.counted() == ["pread": 1])
        #expect(try await store.get("nothing") == nil)
        #expect(try await files.counted() == [:])
        try await store.put("w", "item0")
        _ = try await files.counted()
        #expect(try await store.get("item0") == "w")
        #expect(try await files.counted() == ["pread": 1])
    }
    #endif

    @Test("K-4: beside a process that writes a read looks behind the frames, and not through all the room")
    func getBesideWriter() async throws {
        let scratch = try Scratch()
        let files = CountedFiles()
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        let others = FaultyFiles()
        let other = try await GcryptKeystore.open(scratch.configuration, files: others)
        for round in 0..<3 {
            try await other.put("\(round)", "item0")
            // While the write has not ended, all the room is read.
            try await others.unlocked()
            // Takes it in.
            #expect(try await store.get("item0") == "\(round)")
            _ = try await files.counted()
            _ = try await store.get("item0")
            // The notice in the lock's file before and after the clock, what is behind the last frame, and the value.
            let counts = try await files.counted()
            #expect(counts == ["fstat": 1, "pread": 2 * Self.notice + 2, "lstat": 3])
        }
    }

    @Test("K-4: opening reads the file once, a mebibyte at a time, and writes nothing", arguments: [1, 3000])
    func open(_ count: Int) async throws {
        let scratch = try Scratch()
        let first = try await GcryptKeystore.open(scratch.configuration)
        try await fill(first, count)
        await first.close()
        let files = CountedFiles()
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        let counts = try await files.counted()
        // The file, the lock's and the key's.
        #expect(counts["open"] == 3)
        // A frame that lies across the end of a piece is read again with the next one.
        let pieces = try scratch.bytes().count / (1 << 20) + 1
        // Also the key file, the header's pages, and the word of those who write, which is looked at first; and whether all behind the frames is room.
        #expect(counts["pread", default: 0] <= 5 + pieces)
        #expect(counts["statx", default: 0] + counts["lstat", default: 0] <= 9)
        #expect(Set(counts.keys).isSubset(of: ["open", "close", "mmap", "pread", "statx", "lstat"]))
        #expect(try await store.get("item0") == "v")
    }

    @Test("K-4: a batch costs what a put does", arguments: [2, 500])
    func batch(_ count: Int) async throws {
        let scratch = try Scratch()
        let files = CountedFiles()
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        try await store.put("v", "item0")
        _ = try await files.counted()
        try await fill(store, count)
        let counts = try await files.counted()
        // What needs more room than there is makes it.
        let writes = count == 2 ? 1 : 2
        #expect(counts["pwrite"] == writes && counts["fdatasync"] == 1 && counts["note"] == 2)
        #expect(counts.values.reduce(0, +) == 8 + writes)
    }

    private func fill(_ store: GcryptKeystore, _ count: Int) async throws {
        let changes = try (0..<count).map { index in
            SecretChange.write(
                secret("v"),
                to: try name("item\(index)"),
                accessibility: .afterFirstUnlock,
                if: .none
            )
        }
        #expect(try await store.commit(changes) != .conflict([:]))
    }
}

/// The real files, with each call counted.
private final class CountedFiles: KeystoreFiles {
    private let counts = Mutex<[String: Int]>([:])
    private let seconds = Atomic<UInt64>(0)
    private let locks = Atomic(0)
    private let real = POSIXFiles()

    /// The calls since the last time.
    ///
    /// Who is answered is no more waited for: what is still done with the lock held is waited for here.
    func counted() async throws -> [String: Int] {
        try await BoundedWait.until { locks.load(ordering: .acquiring) == 0 }
        return counts.withLock { counts in
            defer { counts = [:] }
            return counts
        }
    }

    private func note(_ call: String) { counts.withLock { $0[call, default: 0] += 1 } }

    var user: UInt32 { real.user }
    /// Whether the clock stands still.
    let stands = Atomic(false)
    /// A second later each time, unless it stands: what was seen before is not young any more.
    var now: UInt64 {
        let step: UInt64 = stands.load(ordering: .relaxed) ? 0 : 1
        return seconds.wrappingAdd(step, ordering: .relaxed).newValue * 1_000_000_000
    }
    var canWatch: Bool { real.canWatch }

    func open(_ path: String, _ mode: OpenMode) throws(SystemCallError) -> Int32 {
        note("open")
        return try real.open(path, mode)
    }
    func close(_ file: Int32) {
        note("close")
        real.close(file)
    }
    func status(of file: Int32) throws(SystemCallError) -> FileStatus {
        note("statx")
        return try real.status(of: file)
    }
    func datedStatus(of file: Int32) throws(SystemCallError) -> FileStatus {
        note("fstat")
        return try real.datedStatus(of: file)
    }
    func status(at path: String) throws(SystemCallError) -> FileStatus? {
        note("lstat")
        return try real.status(at: path)
    }
    @unsafe
    func read(
        _ file: Int32,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: UInt64
    ) throws(SystemCallError) -> Int {
        note("pread")
        return try unsafe real.read(file, into: buffer, at: offset)
    }
    @unsafe
    func write(
        _ file: Int32,
        _ buffer: UnsafeRawBufferPointer,
        at offset: UInt64
    ) throws(SystemCallError) {
        // What is as short is the notice that is left in the lock's file.
        note(buffer.count < 16 ? "note" : "pwrite")
        try unsafe real.write(file, buffer, at: offset)
    }
    func truncate(_ file: Int32, to size: UInt64) throws(SystemCallError) {
        note("ftruncate")
        try real.truncate(file, to: size)
    }
    func syncData(_ file: Int32) throws(SystemCallError) {
        note("fdatasync")
        try real.syncData(file)
    }
    func openFolder(_ path: String) throws(SystemCallError) -> Int32 {
        note("open-folder")
        return try real.openFolder(path)
    }
    func syncFolder(_ folder: Int32) throws(SystemCallError) {
        note("fsync-folder")
        try real.syncFolder(folder)
    }
    func makeFolders(_ path: String) throws(SystemCallError) {
        note("mkdir")
        try real.makeFolders(path)
    }
    func rename(_ old: String, to new: String) throws(SystemCallError) {
        note("rename")
        try real.rename(old, to: new)
    }
    func link(_ old: String, to new: String) throws(SystemCallError) {
        note("link")
        try real.link(old, to: new)
    }
    func unlink(_ path: String) throws(SystemCallError) {
        note("unlink")
        try real.unlink(path)
    }
    func tryLock(_ file: Int32) throws(SystemCallError) -> Bool {
        note("flock")
        let isLocked = try real.tryLock(file)
        if isLocked { locks.add(1, ordering: .releasing) }
        return isLocked
    }
    func unlock(_ file: Int32) {
        note("unlock")
        real.unlock(file)
        locks.subtract(1, ordering: .releasing)
    }
    func share(_ file: Int32, at path: String, words: Int) -> SharedWords? {
        note("mmap")
        return real.share(file, at: path, words: words)
    }
    func watch(
        _ path: String,
        notice: @escaping @Sendable (SystemCallError?) -> Void
    ) throws(SystemCallError) -> any FileWatch {
        note("watch")
        return try real.watch(path, notice: notice)
    }
}
