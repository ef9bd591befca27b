import Foundation
import GcryptKeystore
import PortcullisCore
import PortcullisTesting
import Testing

@testable import SealingStore

@Suite("What was moved, altered or put back is noticed (F-1)", .timeLimit(.minutes(5)))
struct RollbackTests {
    @Test("F-1: a value that was put under another name, or into another class, is damaged")
    func moved() async throws {
        let house = try House()
        let store = try await house.client()
        try await store.put("one", at: house.name)
        try await store.put("two", at: house.other)
        let (one, two) = (try await house.nameBelow(house.name), try await house.nameBelow(house.other))
        let item = try #require(try await house.below.read(one))
        _ = try await house.below.write(item.value, to: two, accessibility: item.accessibility)
        #expect(await store.failure(at: house.other) == .damaged)
        _ = try await house.below.write(item.value, to: one, accessibility: .whenUnlocked)
        #expect(await store.failure(at: house.name) == .damaged)
        // Written anew it is an item again, for a client that saw the older ones as well.
        try await store.put("three", at: house.name)
        #expect(try await store.text(at: house.name) == "three")
        #expect(try await house.client().text(at: house.name) == "three")
    }

    @Test("F-1: an older value that is put back is rolled back for a client that saw the newer one")
    func older() async throws {
        let house = try House()
        let (writer, reader, newcomer) = (
            try await house.client(), try await house.client(), try await house.client()
        )
        try await writer.put("old", at: house.name)
        let below = try await house.nameBelow(house.name)
        let old = try await house.below.read(below)
        try await writer.put("new", at: house.name)
        #expect(try await reader.text(at: house.name) == "new")
        try await house.put(old, at: below)
        #expect(await writer.failure(at: house.name) == .rolledBack)
        #expect(await reader.failure(at: house.name) == .rolledBack)
        // It never saw the newer one, and has no anchor.
        #expect(try await newcomer.text(at: house.name) == "old")
        try await writer.put("newest", at: house.name)
        #expect(try await reader.text(at: house.name) == "newest")
    }

    @Test(
        "F-1: an item that comes back after its removal is rolled back, and so is one that is gone without it"
    )
    func removed() async throws {
        let house = try House()
        let (writer, reader) = (try await house.client(), try await house.client())
        try await writer.put("value", at: house.name)
        let below = try await house.nameBelow(house.name)
        let item = try await house.below.read(below)
        #expect(try await reader.text(at: house.name) == "value")
        try await house.put(nil, at: below)
        #expect(await reader.failure(at: house.name) == .rolledBack)
        try await house.put(item, at: below)
        #expect(try await reader.text(at: house.name) == "value")

        #expect(try await writer.remove(house.name) == .removed)
        #expect(try await reader.text(at: house.name) == nil)
        try await house.put(item, at: below)
        #expect(await writer.failure(at: house.name) == .rolledBack)
        #expect(await reader.failure(at: house.name) == .rolledBack)
    }

    @Test(
        "F-1: the number goes on rising over removals, also where the store below has no batches",
        arguments: [true, false]
    )
    func numbers(hasBatches: Bool) async throws {
        let house = try House()
        let below = try await house.nameBelow(house.name)
        func client() async throws -> any SecretStore {
            guard !hasBatches else { return try await house.client() }
            return try await SealingStore.open(
                over: PlainStore(base: house.below),
                under: [house.key],
                creating: true
            )
        }
        let reader = try await client()
        for round in 0..<4 {
            let writer = try await client()
            try await writer.put("a\(round)", at: house.name)
            let first = try await house.below.read(below)
            try await writer.put("b\(round)", at: house.name)
            #expect(try await reader.text(at: house.name) == "b\(round)")
            try await house.put(first, at: below)
            #expect(await reader.failure(at: house.name) == .rolledBack)
            #expect(try await writer.remove(house.name) == .removed)
            #expect(try await reader.text(at: house.name) == nil)
        }
    }

    @Test("F-1: an anchor remembers over a restart of all clients what was kept")
    func anchored() async throws {
        let house = try House()
        let (anchor, late) = (MemoryAnchor(), MemoryAnchor())
        let below = try await house.nameBelow(house.name)
        var store = try await house.client(anchor: anchor)
        try await store.put("old", at: house.name)
        try await store.put("kept", at: house.other)
        let old = try await house.below.read(below)
        try await store.put("new", at: house.name)
        try await store.keepSeen()
        try await house.put(old, at: below)
        store = try await house.client(anchor: anchor)
        #expect(await store.failure(at: house.name) == .rolledBack)
        #expect(try await store.text(at: house.other) == "kept")
        #expect(try await house.client(anchor: late).text(at: house.name) == "old")
        #expect(try await house.client().text(at: house.name) == "old")
    }

    @Test("F-1: the number that a damaged item claims leaves numbers for all items of its bucket")
    func claimedNumber() async throws {
        let house = try House()
        let writer = try await house.client()
        let neighbour = try writer.neighbour(of: house.name)
        let below = try await house.nameBelow(house.name)
        for round in 0..<3 {
            try await writer.put("value", at: house.name)
            let item = try #require(try await house.below.read(below))
            var bytes = item.value.sealedBytes
            // The number is in the bytes 5 to 12, and the largest one is below 2^62.
            bytes.replaceSubrange(5..<13, with: [UInt8](repeating: 0xFF, count: 7) + [0x3F])
            let forged = SecretBytes(copying: bytes)
            _ = try await house.below.write(forged, to: below, accessibility: item.accessibility)
            #expect(await writer.failure(at: house.name) == .damaged)
            if round < 2 {
                #expect(try await writer.remove(house.name) == .removed)
            } else {
                try await writer.put("anew", at: house.name)
                #expect(try await writer.text(at: house.name) == "anew")
            }
            try await writer.put("neighbour", at: neighbour)
            #expect(try await house.client().text(at: neighbour) == "neighbour")
            #expect(try await writer.remove(neighbour) == .removed)
        }
    }

    @Test("F-1: a damaged item that claims a low number does not make room for an older value")
    func claimedLowNumber() async throws {
        let house = try House()
        let (writer, reader) = (try await house.client(), try await house.client())
        for round in 0..<9 { try await writer.put("value \(round)", at: house.name) }
        let below = try await house.nameBelow(house.name)
        let old = try #require(try await house.below.read(below))
        var bytes = old.value.sealedBytes
        var earlier = [old]
        for claimed in [0, 1, 2] as [UInt8] {
            // The number is in the bytes 5 to 12.
            bytes.replaceSubrange(5..<13, with: [claimed] + [UInt8](repeating: 0, count: 7))
            try await house.put(
                StoredSecret(
                    value: SecretBytes(copying: bytes),
                    version: old.version,
                    accessibility: old.accessibility
                ),
                at: below
            )
            // It has not seen the number of the item that was damaged.
            let newcomer = try await house.client()
            #expect(await newcomer.failure(at: house.name) == .damaged)
            try await newcomer.put("new \(claimed)", at: house.name)
            #expect(try await reader.text(at: house.name) == "new \(claimed)")
            let new = try #require(try await house.below.read(below))
            for item in earlier {
                try await house.put(item, at: below)
                #expect(await reader.failure(at: house.name) == .rolledBack)
                #expect(await newcomer.failure(at: house.name) == .rolledBack)
            }
            earlier.append(new)
        }
    }

    private struct BrokenAnchor: RollbackAnchor {
        var place: String { "anchor" }

        func claim() throws(SecretStoreError) -> (any AnchorClaim)? {
            throw SecretStoreError(code: .systemFailure, message: "the disk is broken")
        }

        func records() throws(SecretStoreError) -> [UInt8]? { nil }

        func keep(_ record: [UInt8], turn: UInt64, for reason: AnchorReason) throws(SecretStoreError) {}
    }

    @Test("F-1: an anchor whose claim fails is reported with its error, and not as one in use")
    func brokenAnchor() async throws {
        let house = try House()
        let error = await #expect(throws: SecretStoreError.self) {
            try await SealingStore.open(
                over: house.below,
                under: [house.key],
                creating: true,
                anchor: BrokenAnchor(),
                configuration: .init(anchorTimeout: .milliseconds(100))
            )
        }
        #expect(error?.code == .systemFailure)
    }

    @Test("F-1: a cancelled task waits for no anchor that another client has")
    func cancelledWait() async throws {
        let house = try House()
        let path = FileManager.default.temporaryDirectory.appending(path: "anchor-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        @Sendable func client() async throws -> SealingStore<InMemorySecretStore> {
            try await SealingStore.open(
                over: house.below,
                under: [house.key],
                creating: true,
                anchor: FileAnchor(path: path),
                configuration: .init(anchorTimeout: .seconds(3_600))
            )
        }
        let first = try await client()
        let second = Task { try await client() }
        second.cancel()
        let error = await #expect(throws: SecretStoreError.self) { _ = try await second.value }
        #expect(error?.code == .anchorInUse)
        withExtendedLifetime(first) {}
    }

    @Test("F-1: a client whose anchor another one has waits for its end, and is refused after a time")
    func anchorInUse() async throws {
        let house = try House()
        let path = FileManager.default.temporaryDirectory.appending(path: "anchor-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        @Sendable func client(_ limit: Duration) async throws -> SealingStore<InMemorySecretStore> {
            try await SealingStore.open(
                over: house.below,
                under: [house.key],
                creating: true,
                anchor: FileAnchor(path: path),
                configuration: .init(anchorTimeout: limit)
            )
        }
        var old: SealingStore<InMemorySecretStore>? = try await client(.zero)
        try await old?.put("one", at: house.name)
        try await old?.keepSeen()
        let error = await #expect(throws: SecretStoreError.self) { _ = try await client(.milliseconds(100)) }
        #expect(error?.code == .anchorInUse && error?.code.portable == .lockTimeout && error?.path == path)
        // The new process starts while the old one still answers and keeps numbers.
        let starting = Task { try await client(.seconds(60)) }
        for round in 0..<5 {
            try await old?.put("\(round)", at: house.name)
            try await old?.keepSeen()
        }
        old = nil
        let new = try await starting.value
        #expect(try await new.text(at: house.name) == "4")
        try await new.put("new", at: house.name)
        try await new.keepSeen()
    }

    @Test("F-1: a whole store that is put back is refused by the anchor when it is opened")
    func wholeStore() async throws {
        let house = try House()
        let anchor = MemoryAnchor()
        let store = try await house.client(anchor: anchor)
        try await store.put("old", at: house.name)
        try await store.keepSeen()
        let copy = try await Copy(house)
        try await store.put("new", at: house.name)
        try await store.keepSeen()
        try await copy.putBack()
        let error = await #expect(throws: SecretStoreError.self) {
            _ = try await house.client(anchor: anchor)
        }
        #expect(error?.code == .rolledBack)
    }

    @Test("F-1: an emptied store is refused by the anchor when it is opened, and stays empty")
    func emptied() async throws {
        let house = try House()
        let anchor = MemoryAnchor()
        let store = try await house.client(anchor: anchor)
        try await store.put("value", at: house.name)
        try await store.keepSeen()
        for name in house.allNames { try await house.put(nil, at: name) }
        for isCreating in [true, false] {
            let error = await #expect(throws: SecretStoreError.self) {
                _ = try await SealingStore.open(
                    over: house.below,
                    under: [house.key],
                    creating: isCreating,
                    anchor: anchor
                )
            }
            #expect(error?.code == .rolledBack)
        }
        for name in house.allNames { #expect(try await house.below.read(name) == nil) }
        // Zeros are what a first record may leave that was cut short.
        let blank = MemoryAnchor()
        try blank.keep([UInt8](repeating: 0, count: 128), turn: 1, for: .setUp)
        _ = try await house.client(anchor: blank)
    }
}

/// All items below of the kinds that a test knows, at one moment.
private struct Copy {
    private let house: House
    private var items: [(SecretName, StoredSecret?)] = []

    init(_ house: House) async throws {
        self.house = house
        for name in house.allNames { items.append((name, try await house.below.read(name))) }
    }

    func putBack() async throws { for (name, item) in items { try await house.put(item, at: name) } }
}
