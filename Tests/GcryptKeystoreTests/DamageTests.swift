import Foundation
import GcryptKeystore
import PortcullisCore
import Synchronization
import Testing

@Suite("Damage and crashes", .timeLimit(.minutes(10)))
struct DamageTests {
    @Test(
        "K-6: a last frame one of whose sectors stayed zero is an unfinished tail; one in the middle is damage"
    )
    func missingSectors() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("kept", "a")
        let start = try scratch.bytes().count
        try await store.put(String(repeating: "long", count: 1000), "b")
        let end = try scratch.bytes().count
        let good = try scratch.bytes()
        try await store.put("later", "c")
        await store.close()
        let longer = try scratch.bytes()
        for sector in stride(from: (start / 512 + 1) * 512, to: end - 512, by: 512) {
            var bad = good
            bad.replaceSubrange(sector..<sector + 512, with: [UInt8](repeating: 0, count: 512))
            try scratch.put(bad)
            let again = try await GcryptKeystore.open(scratch.configuration)
            #expect(try await again.get("a") == "kept")
            #expect(try await again.get("b") == nil)
            await again.close()
            var damaged = longer
            damaged.replaceSubrange(sector..<sector + 512, with: [UInt8](repeating: 0, count: 512))
            try scratch.put(damaged)
            #expect(await code { try await GcryptKeystore.open(scratch.configuration) } == .damaged)
        }
    }

    @Test(
        "K-6: a frame without its head is damage where another head follows, also one that ends with the file"
    )
    func lastHead() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.tight)
        try await store.put("kept", "a")
        let start = try scratch.bytes().count
        try await store.put(String(repeating: "long", count: 1000), "b")
        let end = try scratch.bytes().count
        try await store.put("later", "c")
        await store.close()
        var bad = try scratch.bytes()
        let sector = start / 512 * 512 + 512
        bad.replaceSubrange(start..<sector, with: [UInt8](repeating: 0, count: sector - start))
        for head in [32, 31] {
            try scratch.put(Array(bad[..<(end + head)]))
            let report = try await GcryptKeystore.check(scratch.tight)
            if head == 32 {
                #expect(await code { try await GcryptKeystore.open(scratch.tight) } == .damaged)
                #expect(report.damage.map(\.offset) == [UInt64(start)])
                #expect(report.unfinishedTail)
            } else {
                // What is less than a head proves nothing.
                #expect(try await GcryptKeystore.open(scratch.tight).get("a") == "kept")
                #expect(report.damage.isEmpty && report.unfinishedTail)
            }
        }
    }

    @Test("K-6: a tail of megabytes, most of it zeros, is set aside as it is, without the room behind it")
    func longTail() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.tight)
        try await store.put("kept", "a")
        let start = try scratch.bytes().count
        try await store.put(String(repeating: "x", count: 4_500_000), "b")
        await store.close()
        var torn = try Array(scratch.bytes().dropLast(40))
        let hole = start + 1_000_000..<start + 3_500_000
        torn.replaceSubrange(hole, with: [UInt8](repeating: 0, count: hole.count))
        try scratch.put(torn + [UInt8](repeating: 0, count: 2_200_000))
        let again = try await GcryptKeystore.open(scratch.tight)
        #expect(try await again.get("a") == "kept")
        try await again.put("w", "c")
        let tail = try scratch.bytes(scratch.store + ".tail")
        #expect(Array(tail.dropFirst(32)) == Array(torn[start...]), "\(tail.count) bytes")
        #expect(try await again.get("b") == nil)
        #expect(try scratch.bytes().count < start + 4096)
    }

    @Test("K-6: what is undamaged is salvaged by an explicit call, and the damaged file stays")
    func salvage() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.tight)
        var ends: [Int] = []
        for index in 0..<5 {
            try await store.put(
                "value \(index)",
                "item\(index)",
                index == 3 ? .whenUnlocked : .afterFirstUnlock
            )
            ends.append(try scratch.bytes().count)
        }
        await store.close()
        var bad = try scratch.bytes()
        bad[ends[1] + 100] ^= 1
        try scratch.put(bad)
        var rescued = scratch.configuration
        rescued.path = scratch.path + "/rescued"
        let report = try await GcryptKeystore.salvage(scratch.configuration, to: rescued.path)
        #expect(report.damage.count == 1 && report.hasLostFrames)
        #expect(report.damage.first?.offset == UInt64(ends[1]))
        let again = try await GcryptKeystore.open(rescued)
        for index in 0..<5 {
            #expect(try await again.get("item\(index)") == (index == 2 ? nil : "value \(index)"))
        }
        #expect(try scratch.bytes() == bad)
        #expect(
            await code { try await GcryptKeystore.salvage(scratch.configuration, to: rescued.path) }
                == .alreadyExists
        )
    }

    @Test("K-6, K-10: a damaged store in a folder where nothing can be made is checked and salvaged from")
    func closedFolder() async throws {
        let (scratch, other) = (try Scratch(), try Scratch())
        let store = try await GcryptKeystore.open(scratch.tight)
        try await store.put("kept", "a")
        let end = try scratch.bytes().count
        try await store.put("lost", "b")
        try await store.put("later", "c")
        await store.close()
        var bad = try scratch.bytes()
        bad[end + 100] ^= 1
        try scratch.put(bad)
        let files = FaultyFiles()
        files.script.withLock { $0.closedFolder = scratch.path }
        // Where there is a lock that cannot be opened, another process may be writing.
        let refused = await code { try await GcryptKeystore.check(scratch.tight, files: files) }
        #expect(refused == .notPermitted)
        let lock = scratch.store + ".lock"
        try FileManager.default.removeItem(atPath: lock)
        let report = try await GcryptKeystore.check(scratch.tight, files: files)
        #expect(report.items == 2 && report.damage.map(\.offset) == [UInt64(end)])
        var rescued = scratch.tight
        rescued.path = other.path + "/rescued"
        _ = try await GcryptKeystore.salvage(scratch.tight, to: rescued.path, files: files)
        #expect(try await GcryptKeystore.open(rescued).get("c") == "later")
        #expect(!FileManager.default.fileExists(atPath: lock))
        let beside = await code {
            try await GcryptKeystore.salvage(scratch.tight, to: scratch.path + "/rescued", files: files)
        }
        #expect(beside == .notPermitted)
    }

    @Test(
        "K-6: a store that was salvaged after its last frames were lost opens with the anchor that knows them"
    )
    func salvageBesideAnchor() async throws {
        let scratch = try Scratch()
        var configuration = scratch.tight
        configuration.anchorPath = scratch.path + "/anchor"
        let store = try await GcryptKeystore.open(configuration)
        try await store.put("kept", "item")
        let end = try scratch.bytes().count
        for round in 0..<3 { try await store.put("\(round)", "lost") }
        #expect(store.lastAnchorFailure == nil)
        await store.close()
        var bad = try scratch.bytes()
        for offset in end..<bad.count { bad[offset] ^= 1 }
        try scratch.put(bad)
        let rescued = scratch.path + "/rescued"
        _ = try await GcryptKeystore.salvage(configuration, to: rescued)
        try scratch.put(scratch.bytes(rescued))
        let again = try await GcryptKeystore.open(configuration)
        #expect(try await again.get("item") == "kept")
        #expect(try await again.get("lost") == nil)
    }

    @Test(
        "K-6: a salvaged store without a lost frame is rolledBack after a later commit to the first one",
        arguments: [true, false]
    )
    func salvagedAndLeft(_ isHeaderDamaged: Bool) async throws {
        let scratch = try Scratch()
        var configuration = scratch.tight
        configuration.anchorPath = scratch.path + "/anchor"
        let store = try await GcryptKeystore.open(configuration)
        try await store.put("1", "item")
        await store.close()
        var bytes = try scratch.bytes()
        if isHeaderDamaged { bytes[4096 + 100] ^= 1 }
        try scratch.put(bytes)
        let rescued = scratch.path + "/rescued"
        let report = try await GcryptKeystore.salvage(configuration, to: rescued)
        #expect(report.damage.isEmpty != isHeaderDamaged && !report.hasLostFrames)
        let again = try await GcryptKeystore.open(configuration)
        try await again.put("2", "item")
        await again.close()
        try scratch.put(scratch.bytes(rescued))
        #expect(await code { try await GcryptKeystore.open(configuration) } == .rolledBack)
    }

    @Test("K-1: an old header page does not bring a removed slot back")
    func oldHeader() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        let old = try scratch.bytes()[..<8192]
        let slot = try await store.addSlot(.rawKey(SecretBytes(randomCount: 32)))
        try await store.removeSlot(1)
        #expect(try await store.slots() == [slot])
        await store.close()
        let now = try scratch.bytes()
        #expect(now[..<4096] == now[4096..<8192])
        #expect(await code { try await GcryptKeystore.open(scratch.configuration) } == .wrongKey)
        try scratch.put(Array(old + now[8192...]))
        #expect(await code { try await GcryptKeystore.open(scratch.configuration) } == .damaged)
    }

    @Test("K-5: a slot change cut short after any of its steps leaves a store that opens", arguments: 1...4)
    func slotChangeCutShort(_ steps: Int) async throws {
        let scratch = try Scratch()
        let files = FaultyFiles()
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        try await store.put("v", "item")
        let key = SecretBytes(randomCount: 32)
        files.failAfter(steps)
        _ = await code { try await store.addSlot(.rawKey(key)) }
        files.failAfter(nil)
        let again = try await GcryptKeystore.open(scratch.configuration)
        #expect(try await again.get("item") == "v")
        try await again.put("w", "item")
        _ = try await again.addSlot(.rawKey(SecretBytes(randomCount: 32)))
        await again.close()
        let third = try await GcryptKeystore.open(scratch.configuration)
        #expect(try await third.get("item") == "w")
        #expect(try await GcryptKeystore.check(scratch.configuration).damage.isEmpty)
    }

    @Test("K-5: a slot change that fails changes nothing, and twice in a row leaves a store that opens")
    func slotChangeFailsTwice() async throws {
        let scratch = try Scratch()
        let files = FaultyFiles()
        let store = try await GcryptKeystore.open(scratch.tight, files: files)
        try await store.put("v", "item")
        let before = try await store.slots()
        for _ in 0..<2 {
            // The page's write and its sync work, the append after them does not; what comes later does again.
            files.failWrite(2, ENOSPC)
            #expect(
                await code { try await store.addSlot(.rawKey(SecretBytes(randomCount: 32))) } == .diskFull
            )
        }
        #expect(try await store.slots() == before)
        try await store.put("w", "item")
        let again = try await GcryptKeystore.open(scratch.tight)
        #expect(try await again.slots() == before)
        #expect(try await again.get("item") == "w")
        #expect(try await GcryptKeystore.check(scratch.tight).damage.isEmpty)
    }

    @Test("K-5: two slot changes in a row that were cut short behind the page leave a store that opens")
    func slotChangeCutTwice() async throws {
        let scratch = try Scratch()
        for _ in 0..<2 {
            let files = FaultyFiles()
            let store = try await GcryptKeystore.open(scratch.configuration, files: files)
            let kinds = try await store.slots().count
            // The second time the page that was cut short is witnessed first: a write and a sync more. And before that,
            // what was left is synced, because the lock's file has no counts.
            files.failAfter(kinds == 1 ? 2 : 5)
            let found = await code { try await store.addSlot(.rawKey(SecretBytes(randomCount: 32))) }
            #expect(found == .durabilityUnknown)
            await store.close()
            // As after a restart, which takes the note of the failed sync away.
            try scratch.put([], scratch.store + ".lock")
        }
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("v", "item")
        #expect(try await GcryptKeystore.open(scratch.configuration).get("item") == "v")
    }
}
