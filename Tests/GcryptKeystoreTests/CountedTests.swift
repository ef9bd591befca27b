import Foundation
@testable import GcryptKeystore
import Gcrypt
import PortcullisCore
import Synchronization
import Testing

/// Files that only one who has the key can make: each number in them is as large as its bits allow, or as counting comes to.
@Suite("Numbers of a file that no counting comes to", .timeLimit(.minutes(10)))
struct CountedTests {
    /// A store of one item, made anew with other numbers.
    private struct Made {
        let scratch: Scratch
        let place: FilePlace
        let ring: KeyRing
        private(set) var header: HeaderPage

        init() async throws {
            scratch = try Scratch()
            place = FilePlace(path: scratch.store)
            let store = try await GcryptKeystore.open(scratch.tight)
            try await store.put("v", "item")
            (ring, header) = (store.ring, store.state.withLock { $0.view.header })
            await store.close()
        }

        /// Writes the file with this last version, header and item's version.
        func write(_ header: HeaderPage, lastVersion: UInt64 = 1, version: UInt64 = 1) throws {
            let key = try #require(
                ring.sealing(Accessibility.afterFirstUnlock.byte, epoch: header.classEpoch)
            )
            let binding = ValueSeal.binding(
                ring.storeID,
                try name("item"),
                Accessibility.afterFirstUnlock.byte,
                version: version
            )
            let item = FileWriter.Item(
                name: try name("item"),
                accessibility: .afterFirstUnlock,
                version: version,
                sealed: try ValueSeal.seal(secret("v"), under: key, binding: binding)
            )
            var items = [item]
            _ = try FileWriter(files: POSIXFiles(), place: place).replaceStore(
                header: header,
                storeKey: ring.storeKey,
                lastVersion: lastVersion,
                beforeRenaming: {}
            ) { () throws(SecretStoreError) in items.popLast() }
        }

        /// Writes one more frame behind `filler`, bound to its end.
        func append(
            _ content: FrameContent,
            sequence: UInt64,
            behind filler: [UInt8] = [UInt8](repeating: 9, count: 64)
        ) throws {
            let keys = try FrameKeys(storeKey: ring.storeKey, header: header)
            let tag = Array(filler.suffix(16))
            let frame = try keys.frame(sequence: sequence, previousTag: tag, records: content)
            try scratch.put(try scratch.bytes() + filler + frame)
        }
    }

    private static let beyond: [UInt64] = [.max, .max >> 1 + 1]

    /// Demands that a store is damaged for all who open it, and for a check; and that nothing changes it.
    private func demandDamage(_ made: Made, _ what: String) async throws {
        let before = try made.scratch.bytes()
        #expect(await code { try await GcryptKeystore.open(made.scratch.tight) } == .damaged, "\(what)")
        do throws(SecretStoreError) {
            let report = try await GcryptKeystore.check(made.scratch.tight)
            #expect(!report.damage.isEmpty, "\(what)")
        } catch {
            #expect(error.code == .damaged, "\(what)")
        }
        #expect(try made.scratch.bytes() == before, "\(what)")
    }

    @Test("K-6: a version beyond all counting is damage: of a write, a removal, and a header's record")
    func versions() async throws {
        for version in Self.beyond {
            let made = try await Made()
            try made.write(made.header, lastVersion: version)
            try await demandDamage(made, "last version \(version)")
            try made.write(made.header, version: version)
            try await demandDamage(made, "version \(version)")
            try made.write(made.header)
            var removal = FrameContent()
            removal.remove(try name("item"), version: version)
            let tag = Array(try made.scratch.bytes().suffix(16))
            let keys = try FrameKeys(storeKey: made.ring.storeKey, header: made.header)
            let frame = try keys.frame(sequence: 3, previousTag: tag, records: removal)
            try made.scratch.put(try made.scratch.bytes() + frame)
            try await demandDamage(made, "removal \(version)")
        }
    }

    @Test("K-6: a header page with a number beyond all counting is damage")
    func headers() async throws {
        let made = try await Made()
        let changes: [(String, (inout [UInt8]) -> Void)] = [
            ("generation", { $0.put(UInt64.max, at: 32) }),
            ("file generation", { $0.put(UInt64.max, at: 40) }),
            ("sequence", { $0.put(UInt64.max, at: 64) }), ("slot", { $0.put(UInt32.max, at: 72) }),
            ("epoch", { $0.put(UInt32.max, at: 76) }),
            ("generation by one", { $0.put(UInt64.max >> 1 + 1, at: 32) }),
        ]
        let good = try made.scratch.bytes()
        for (what, change) in changes {
            var page = good.slice(0, Layout.pageSize)
            change(&page)
            page.put(
                try Digest.authenticate(page[..<Layout.macOffset], under: made.ring.headerKey),
                at: Layout.macOffset
            )
            page.put(try Digest.sha256(page[..<Layout.digestOffset]), at: Layout.digestOffset)
            try made.scratch.put(page + page + good.dropFirst(2 * Layout.pageSize))
            try await demandDamage(made, what)
        }
        // A record of the log, which names a generation before which no page can be.
        try made.scratch.put(good)
        var record = FrameContent()
        record.header(generation: .max, mac: [UInt8](repeating: 0, count: 32), lastVersion: 1)
        let keys = try FrameKeys(storeKey: made.ring.storeKey, header: made.header)
        let frame = try keys.frame(sequence: 3, previousTag: Array(good.suffix(16)), records: record)
        try made.scratch.put(good + frame)
        try await demandDamage(made, "a record's generation")
    }

    @Test("K-6: a frame behind damage whose number is beyond all counting is no frame")
    func sequences() async throws {
        for sequence in Self.beyond {
            let made = try await Made()
            var content = FrameContent()
            content.remove(try name("item"), version: 2)
            try made.append(content, sequence: sequence)
            try await demandDamage(made, "sequence \(sequence)")
            var rescued = made.scratch.tight
            rescued.path = made.scratch.path + "/rescued"
            _ = try await GcryptKeystore.salvage(made.scratch.tight, to: rescued.path)
            #expect(try await GcryptKeystore.open(rescued).get("item") == "v")
        }
    }

    @Test(
        "K-6: the last version that counting comes to is read; no change goes beyond it, and a check says so"
    )
    func lastVersion() async throws {
        let made = try await Made()
        try made.write(made.header, lastVersion: .largestCounted - 1)
        let store = try await GcryptKeystore.open(made.scratch.tight)
        #expect(try await GcryptKeystore.check(made.scratch.tight).damage.isEmpty)
        #expect(try await store.put("last", "item") == SecretVersion(.largestCounted))
        let before = try made.scratch.bytes()
        #expect(await code { try await store.put("beyond", "item") } == .damaged)
        #expect(await code { try await store.remove(name("item")) } == .damaged)
        #expect(try made.scratch.bytes() == before)
        #expect(try await GcryptKeystore.open(made.scratch.tight).get("item") == "last")
        #expect(try await GcryptKeystore.check(made.scratch.tight).damage.count == 1)
        // What is lost may have had later versions: the salvaged store has none left.
        var rescued = made.scratch.tight
        rescued.path = made.scratch.path + "/rescued"
        var bad = before
        bad[bad.count - 20] ^= 1
        try made.scratch.put(bad)
        _ = try await GcryptKeystore.salvage(made.scratch.tight, to: rescued.path)
        #expect(try await GcryptKeystore.open(rescued).get("item") == "v")
    }

    @Test("K-6: a header whose numbers are the last ones opens, and what needs another one is refused")
    func lastNumbers() async throws {
        let made = try await Made()
        let raw = SecretBytes(randomCount: 32)
        func demand(
            _ what: String,
            _ change: (inout HeaderPage) -> Void,
            _ refused: (GcryptKeystore) async throws -> Void
        ) async throws {
            var header = made.header
            change(&header)
            try made.write(header)
            let store = try await GcryptKeystore.open(made.scratch.tight)
            #expect(try await store.get("item") == "v", "\(what)")
            let before = try made.scratch.bytes()
            #expect(await code { try await refused(store) } == .damaged, "\(what)")
            #expect(try made.scratch.bytes() == before, "\(what)")
            await store.close()
        }
        var page = try made.header.encoded(made.ring.headerKey)
        page.put(UInt64.largestCounted, at: 32)
        page.put(try Digest.sha256(page[..<Layout.digestOffset]), at: Layout.digestOffset)
        let last = try HeaderPage.decode(page).get()
        try await demand("generation", { $0 = last }) { _ = try await $0.addSlot(.rawKey(raw)) }
        try await demand("generation", { $0 = last }) { try await $0.compact() }
        try await demand("file generation", { $0.fileGeneration = .largestCounted }) {
            try await $0.compact()
        }
        try await demand("slot", { $0.nextSlot = .largestCounted }) { _ = try await $0.addSlot(.rawKey(raw)) }
        try await demand("epoch", { $0.classEpoch = .largestCounted }) { try await $0.seal(under: raw) }
        // The header's frame and the item's take the last two.
        try await demand("sequence", { $0.firstSequence = .largestCounted - 1 }) {
            try await $0.put("w", "item")
        }
        try await demand("sequence", { $0.firstSequence = .largestCounted - 1 }) { try await $0.compact() }
    }

    @Test("K-6: an anchor's record with a number beyond all counting is damage")
    func anchors() async throws {
        let made = try await Made()
        let path = made.scratch.path + "/anchor"
        var configuration = made.scratch.tight
        configuration.anchorPath = path
        await (try await GcryptKeystore.open(configuration)).close()
        let good = try made.scratch.bytes(path).suffix(Anchor.size)
        for place in [8, 40] {
            var record = Array(good)
            record.put(UInt64.max, at: place)
            record.put(try Digest.authenticate(record[..<96], under: made.ring.anchorKey), at: 96)
            try made.scratch.put(record + record, path)
            #expect(await code { try await GcryptKeystore.open(configuration) } == .damaged, "at \(place)")
        }
        // The last count: the change is kept, and it is said that it has no witness.
        var record = Array(good)
        record.put(UInt64.largestCounted, at: 8)
        record.put(try Digest.authenticate(record[..<96], under: made.ring.anchorKey), at: 96)
        try made.scratch.put(record + record, path)
        let store = try await GcryptKeystore.open(configuration)
        try await store.put("w", "item")
        #expect(store.lastAnchorFailure?.code == .damaged)
        #expect(try await store.get("item") == "w")
    }
}
