import AdapterKit
import GcryptKeystore
import PortcullisCore
import Synchronization
import Testing

@Suite("What a handle sees of the commits of others", .timeLimit(.minutes(10)))
struct FollowingTests {
    /// A store with room behind its frames, a handle whose files do as they are told, and another handle.
    private func handles(
        _ scratch: Scratch,
        _ files: FaultyFiles
    ) async throws -> (reader: GcryptKeystore, writer: GcryptKeystore) {
        let writer = try await GcryptKeystore.open(scratch.configuration, files: files)
        try await writer.put("old", "item")
        return (try await GcryptKeystore.open(scratch.configuration, files: files), writer)
    }

    @Test("K-7: a commit whose write had its time long before its bytes is seen once it is acknowledged")
    func timeBeforeBytes() async throws {
        let (scratch, files) = (try Scratch(), FaultyFiles())
        let (reader, writer) = try await handles(scratch, files)
        let turn = Turn()
        files.script.withLock { script in
            script.beforeWrite = {
                // As file systems do: the time comes first, and whoever writes may be kept waiting in between.
                files.script.withLock { $0.changed = 1_000_000_001 }
                turn.take { try await demand("old", reader) }
            }
        }
        try await writer.put("new", "item")
        let end = try #require(turn.outcome, "the reader had no turn")
        if let end { throw end }
        #expect(try await reader.get("item") == "new")
    }

    @Test("K-7: a commit that began while a reader was held up is seen once it is acknowledged")
    func beganMeanwhile() async throws {
        let (scratch, files) = (try Scratch(), FaultyFiles())
        // Of a file system whose clock ticks slowly: this commit has the time of the one before.
        files.script.withLock { ($0.changed, $0.now) = (1_000_000_001, 5_000_000_000) }
        let (reader, writer) = try await handles(scratch, files)
        try await files.unlocked()
        #expect(try await reader.get("item") == "old")
        let (held, gate) = (Gate(), Gate())
        files.script.withLock { script in
            // In another tick than the last look; both notices are read before the bytes.
            script.now = 5_010_000_000
            script.beforeRead = (
                1,
                {
                    held.pass()
                    files.script.withLock { $0.now = 6_000_000_000 }
                }
            )
        }
        let read = Task(executorPreference: Aside()) { try await reader.get("item") }
        await held.arrived()
        files.script.withLock { $0.beforeWrite = { gate.pass() } }
        async let write = writer.put("new", "item")
        await gate.arrived()
        held.open()
        #expect(try await read.value == "old")
        gate.open()
        _ = try await write
        #expect(try await reader.get("item") == "new")
    }

    @Test("K-7: where files know the time of a change by the second, commits in one second are all seen")
    func wholeSeconds() async throws {
        let (scratch, files) = (try Scratch(), FaultyFiles())
        files.script.withLock { $0.changed = 5_000_000_000 }
        let (reader, writer) = try await handles(scratch, files)
        for round in 0..<5 {
            try await writer.put("\(round)", "item")
            try await files.unlocked()
            try await demand("\(round)", reader)
        }
    }

    @Test("K-7: commits within one tick of a clock that is not the reader's are all seen")
    func foreignClock() async throws {
        let (scratch, files) = (try Scratch(), FaultyFiles())
        // The file system's clock is behind; the time between the commits is too short for either.
        files.script.withLock { ($0.changed, $0.now) = (5_000_000_001, 90_000_000_000) }
        let (reader, writer) = try await handles(scratch, files)
        for round in 0..<5 {
            try await writer.put("\(round)", "item")
            try await files.unlocked()
            try await demand("\(round)", reader)
        }
    }

    @Test(
        "K-7: a read sees what was acknowledged before it, while another read brings the store up to an older size"
    )
    func olderSize() async throws {
        let (scratch, files) = (try Scratch(), FaultyFiles())
        let other = try await GcryptKeystore.open(scratch.tight)
        try await other.put("old", "item")
        let store = try await GcryptKeystore.open(scratch.tight, files: files)
        try await other.put("v", "first")
        let (refresh, read) = (Gate(), Gate())
        // The first look sees that something was appended, and the store's queue has the size when it looks itself.
        files.script.withLock { $0.beforeRead = (2, { refresh.pass() }) }
        async let first = store.get("first")
        await refresh.arrived()
        try await other.put("new", "item")
        files.script.withLock { $0.beforeRead = (1, { read.pass() }) }
        let second = Task(executorPreference: Aside()) { try await store.get("item") }
        await read.arrived()
        refresh.open()
        #expect(try await first == "v")
        read.open()
        #expect(try await second.value == "new")
    }

    @Test(
        "K-6: others' frames of which the first begins with zeros are damage, and no room for new ones",
        arguments: [false, true],
        [false, true]
    )
    func damageOfZeros(_ hasRoom: Bool, _ isFirstSeenBroken: Bool) async throws {
        let scratch = try Scratch()
        let configuration = hasRoom ? scratch.configuration : scratch.tight
        let (store, other) = (
            try await GcryptKeystore.open(configuration), try await GcryptKeystore.open(configuration)
        )
        try await other.put("old", "item")
        #expect(try await store.get("item") == "old")
        let start = Int(try await GcryptKeystore.check(configuration).bytes)
        try await other.put(String(repeating: "x", count: 700), "item")
        try await other.put("new", "other")
        var bytes = try scratch.bytes()
        for place in start..<start + 512 - start % 512 { bytes[place] = 0 }
        // The same file: its sector came back without what was written.
        let files = POSIXFiles()
        let file = try files.open(scratch.store, .readWrite)
        defer { files.close(file) }
        if isFirstSeenBroken {
            // Without its first bytes a frame is none.
            bytes[start + 1] = 1
            try unsafe bytes.span.bytes.withUnsafeBytes { try unsafe files.write(file, $0, at: 0) }
            #expect(await code { try await store.get("item") } == .damaged)
            bytes[start + 1] = 0
        }
        try unsafe bytes.span.bytes.withUnsafeBytes { try unsafe files.write(file, $0, at: 0) }
        for _ in 0..<3 {
            #expect(await code { try await store.get("item") } == .damaged)
            #expect(await code { try await store.put("v", "item") } == .damaged)
        }
    }

    @Test(
        "K-6: behind a tail whose beginning is zeros, others' damaged frames are not taken for room either",
        arguments: [true, false]
    )
    func damageBehindTailOfZeros(_ isTailSetAside: Bool) async throws {
        let scratch = try Scratch()
        let first = try await GcryptKeystore.open(scratch.tight)
        try await first.put("old", "item")
        let start = Int(try await GcryptKeystore.check(scratch.tight).bytes)
        try await first.put(String(repeating: "t", count: 700), "torn")
        await first.close()
        try clear(start..<start + 512 - start % 512, in: scratch)
        let store = try await GcryptKeystore.open(scratch.tight)
        // A commit of its own moves the tail to another file. Without one the store goes on knowing the tail.
        if isTailSetAside { try await store.put("mine", "item") }
        let other = try await GcryptKeystore.open(scratch.tight)
        let next = isTailSetAside ? Int(try await GcryptKeystore.check(scratch.tight).bytes) : start
        try await other.put(String(repeating: "x", count: 700), "item")
        try await other.put("new", "other")
        try clear(next..<next + 512 - next % 512, in: scratch)
        let whole = try scratch.bytes()
        #expect(await code { try await store.get("item") } == .damaged)
        #expect(await code { try await store.put("v", "item") } == .damaged)
        #expect(try scratch.bytes() == whole)
    }

    /// Makes zeros of bytes of the same file.
    private func clear(_ range: Range<Int>, in scratch: Scratch) throws {
        let file = try POSIXFiles().open(scratch.store, .readWrite)
        defer { POSIXFiles().close(file) }
        let zeros = [UInt8](repeating: 0, count: range.count)
        try unsafe zeros.span.bytes.withUnsafeBytes {
            try unsafe POSIXFiles().write(file, $0, at: UInt64(range.lowerBound))
        }
    }

    @Test("K-6: an old header page that was put back is told of at every read, not once")
    func oldHeader() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("v", "item")
        let pages = try scratch.bytes()[..<8192]
        let other = try await GcryptKeystore.open(scratch.configuration)
        _ = try await other.addSlot(.passphrase(secret("another phrase")))
        let file = try POSIXFiles().open(scratch.store, .readWrite)
        defer { POSIXFiles().close(file) }
        try unsafe Array(pages).span.bytes.withUnsafeBytes {
            try unsafe POSIXFiles().write(file, $0, at: 0)
        }
        for _ in 0..<3 { #expect(await code { try await store.get("item") } == .damaged) }
    }

    @Test("K-6: a read during which another one comes across damage does not miss it")
    func overtakenByDamage() async throws {
        let (scratch, files) = (try Scratch(), FaultyFiles())
        let (reader, _) = try await handles(scratch, files)
        let other = try await GcryptKeystore.open(scratch.configuration)
        let turn = Turn()
        files.script.withLock { script in
            script.beforeRead = (
                1,
                {
                    turn.take {
                        try await other.put("good", "other")
                        let start = Int(try await GcryptKeystore.check(scratch.configuration).bytes)
                        try await other.put("new", "item")
                        var byte = [try scratch.bytes()[start + 100] ^ 1]
                        let file = try POSIXFiles().open(scratch.store, .readWrite)
                        defer { POSIXFiles().close(file) }
                        try unsafe byte.withUnsafeMutableBytes {
                            try unsafe POSIXFiles().write(
                                file,
                                UnsafeRawBufferPointer($0),
                                at: UInt64(start) + 100
                            )
                        }
                        #expect(await code { try await reader.get("item") } == .damaged)
                    }
                }
            )
        }
        let read = Task(executorPreference: Aside()) { try await reader.get("item") }
        #expect(await code { try await read.value } == .damaged)
        let end = try #require(turn.outcome, "the other read had no turn")
        if let end { throw end }
    }

    @Test(
        "K-7: whoever writes, compacts and reads at the same time, each read sees what was acknowledged before it",
        arguments: [[0, 0], [65536, 65536], [0, 4096], [4096, 65536]] as [[UInt64]],
        [1, 2]
    )
    func readersAndWriters(_ growths: [UInt64], _ seed: UInt64) async throws {
        let scratch = try Scratch()
        let ledger = Ledger(4)
        var stores: [GcryptKeystore] = []
        for growth in growths + growths {
            var configuration = scratch.configuration
            configuration.growth = growth
            stores.append(try await GcryptKeystore.open(configuration))
        }
        try await withThrowingTaskGroup(of: Void.self) { [stores] group in
            for item in 0..<4 {
                // One writer for each item, so that its values come in order, through any handle.
                group.addTask {
                    defer { ledger.end() }
                    var generator = Seeded(state: seed << 8 | UInt64(item))
                    for round in 1...120 {
                        let store = stores.randomElement(using: &generator)!
                        let padding = Int.random(in: 0..<12, using: &generator) == 0 ? 9000 : 300
                        let size = Int.random(in: 0..<padding, using: &generator)
                        try await store.put("\(round) " + String(repeating: "x", count: size), "item\(item)")
                        ledger.acknowledge(round, item)
                        if Int.random(in: 0..<40, using: &generator) == 0 { try await store.compact() }
                    }
                }
            }
            for (index, store) in stores.enumerated() {
                group.addTask {
                    var generator = Seeded(state: seed << 16 | UInt64(index))
                    while !ledger.isOver {
                        let item = Int.random(in: 0..<4, using: &generator)
                        let known = ledger.acknowledged(item)
                        let value = try await store.get("item\(item)")
                        let round = value.flatMap { $0.split(separator: " ").first }.flatMap { Int($0) } ?? 0
                        #expect(round >= known, "item\(item), handle \(index)")
                        // A get does not suspend; the pool may have no thread to spare.
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
        let report = try await GcryptKeystore.check(scratch.configuration)
        #expect(report.items == 4 && report.damage.isEmpty && !report.unfinishedTail)
    }
}

/// Which values were acknowledged, for all to see.
private final class Ledger: Sendable {
    private let state: Mutex<(rounds: [Int], running: Int)>

    /// - Parameter count: of items, each of which has one writer.
    init(_ count: Int) { state = Mutex((Array(repeating: 0, count: count), count)) }

    var isOver: Bool { state.withLock { $0.running == 0 } }
    func acknowledged(_ item: Int) -> Int { state.withLock { $0.rounds[item] } }
    func acknowledge(_ round: Int, _ item: Int) { state.withLock { $0.rounds[item] = round } }
    func end() { state.withLock { $0.running -= 1 } }
}
