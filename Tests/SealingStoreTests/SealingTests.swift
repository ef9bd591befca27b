import PortcullisCore
import PortcullisTesting
import SealingStore
import Testing

@Suite("What lies below tells nothing (F-1)", .timeLimit(.minutes(5)))
struct SealingTests {
    @Test("F-1: no namespace, name or value stands below in the clear, and equal values differ")
    func nothingInTheClear() async throws {
        let house = try House()
        let store = try await house.client()
        let long = try SecretName(String(repeating: "long-", count: 100), in: house.name.namespace)
        for name in [house.name, house.other, long] { try await store.put("a value like another", at: name) }
        var values: [[UInt8]] = []
        for name in house.allNames {
            let item = try #require(try await house.below.read(name))
            let value = item.value.withBytes { bytes in bytes.indices.map { bytes[$0] } }
            values.append(value)
            for text in ["accounts", "alice", "bob", "long-", "a value like another"] {
                #expect(!"\(name)".contains(text))
                #expect(!String(decoding: value, as: UTF8.self).contains(text))
            }
        }
        #expect(Set(values).count == values.count)
        #expect(try await store.names(in: house.name.namespace) == [house.name, house.other, long])
        // Another key gives other names.
        let others = try House()
        try await others.client().put("a value like another", at: house.name)
        let (mine, theirs) = (house.allNames, others.allNames)
        #expect(Set(mine).intersection(theirs).map(\.namespace.rawValue) == ["portcullis.sealing"])
    }

    @Test("F-1: names are listed without a value being read, except those of more than 356 bytes")
    func listing() async throws {
        let house = try House()
        let spy = RecordingSecretStore(house.below)
        let store = try await SealingStore.open(over: spy, under: [house.key], creating: true)
        let namespace = house.name.namespace
        let names = try [1, 355, 356, 357, 512].map { count in
            try SecretName(String(repeating: "n", count: count), in: namespace)
        }
        for name in names { try await store.put("x", at: name) }
        let before = spy.calls.count
        #expect(try await store.names(in: namespace) == names)
        let reads = spy.calls[before...].filter { if case .read = $0 { true } else { false } }
        #expect(reads.count == 2)
    }

    @Test("F-1: what another wrote below is an error, and never listed or read as an item")
    func foreign() async throws {
        let house = try House()
        let store = try await house.client()
        try await store.put("x", at: house.name)
        let below = try await house.nameBelow(house.name)
        for text in ["plain", "AAAA", below.name + "A", String(below.name.dropLast()) + "!"] {
            let name = try SecretName(text, in: below.namespace)
            try await house.below.put("y", at: name)
            let error = await #expect(throws: SecretStoreError.self) {
                _ = try await store.names(in: house.name.namespace)
            }
            #expect(error?.code == .damaged, "\(text)")
            _ = try await house.below.remove(name)
        }
        for value in [[], [1], [UInt8](repeating: 0, count: 100), [UInt8](repeating: 1, count: 100)] {
            let item = SecretBytes(copying: value)
            _ = try await house.below.write(item, to: below, accessibility: .afterFirstUnlock)
            #expect(await store.failure(at: house.name) == .damaged)
        }
        #expect(try await store.names(in: house.name.namespace) == [house.name])
    }

    @Test("F-1: a second client with another key, or none, is refused; the first to make keys has made them")
    func keys() async throws {
        let house = try House()
        await #expect(throws: SecretStoreError.self) {
            _ = try await SealingStore.open(over: house.below, under: [house.key])
        }
        let keys = (0..<8).map { _ in SecretBytes(randomCount: 32) }
        let opened = await withTaskGroup(of: Bool.self) { group in
            for key in keys { group.addTask { (try? await house.client(under: [key])) != nil } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(opened == 1)
        let error = await #expect(throws: SecretStoreError.self) { _ = try await house.client() }
        #expect(error?.code == .wrongKey)
    }

    @Test("F-1: value keys are rotated while other clients go on, and old ones retired")
    func rotation() async throws {
        let house = try House()
        let (first, second) = (try await house.client(), try await house.client())
        try await first.put("one", at: house.name)
        try await second.rotateValueKey()
        try await second.put("two", at: house.other)
        // Under a key that it has not heard of.
        #expect(try await first.text(at: house.other) == "two")
        try await first.refreshKeys()
        #expect(try await second.retireValueKeys(resealing: [house.name.namespace]) == 1)
        try await first.refreshKeys()
        for store in [first, second, try await house.client()] {
            #expect(try await store.text(at: house.name) == "one")
            #expect(try await store.text(at: house.other) == "two")
            #expect(try await store.remove(house.name) == .removed)
            try await store.put("one", at: house.name)
        }
    }

    @Test("F-1: the wrapping key is changed in three steps, and the old one opens nothing any more")
    func rewrapping() async throws {
        let house = try House()
        let store = try await house.client()
        try await store.put("one", at: house.name)
        let new = SecretBytes(randomCount: 32)
        try await store.rewrap(under: [house.key, new])
        #expect(try await house.client().text(at: house.name) == "one")
        #expect(try await house.client(under: [new]).text(at: house.name) == "one")
        try await store.rewrap(under: [new])
        #expect(try await house.client(under: [new]).text(at: house.name) == "one")
        let error = await #expect(throws: SecretStoreError.self) { _ = try await house.client() }
        #expect(error?.code == .wrongKey)
        for keys in [[], [SecretBytes(randomCount: 31)]] {
            await #expect(throws: SecretStoreError.self) { try await store.rewrap(under: keys) }
        }
    }

    @Test("F-1: an older item of keys that is put back is rolled back")
    func keysPutBack() async throws {
        let house = try House()
        let anchor = MemoryAnchor()
        let store = try await house.client(anchor: anchor)
        let name = try #require(house.allNames.first { $0.namespace.isLibraryOwned })
        let old = try await house.below.read(name)
        try await store.rotateValueKey()
        try await store.put("one", at: house.name)
        try await store.keepSeen()
        try await house.put(old, at: name)
        let error = await #expect(throws: SecretStoreError.self) { try await store.refreshKeys() }
        #expect(error?.code == .rolledBack)
        let again = await #expect(throws: SecretStoreError.self) {
            _ = try await house.client(anchor: anchor)
        }
        #expect(again?.code == .rolledBack)
    }

    @Test(
        "F-1: keys put back after a change that no write followed are rolled back at the next start",
        arguments: ["rotate", "rewrap", "retire"]
    )
    func keysPutBackAtOnce(_ change: String) async throws {
        let house = try House()
        let anchor = MemoryAnchor()
        let store = try await house.client(anchor: anchor)
        let name = try #require(house.allNames.first { $0.namespace.isLibraryOwned })
        try await store.keepSeen()
        if change == "retire" { try await store.rotateValueKey() }
        let old = try await house.below.read(name)
        switch change {
        case "rotate": try await store.rotateValueKey()
        case "rewrap": try await store.rewrap(under: [SecretBytes(randomCount: 32), house.key])
        default: try await store.retireValueKeys(resealing: [])
        }
        if change != "retire" { try await store.keepSeen() }
        _ = try await house.client(anchor: anchor)
        try await house.put(old, at: name)
        let error = await #expect(throws: SecretStoreError.self) {
            _ = try await house.client(anchor: anchor)
        }
        #expect(error?.code == .rolledBack)
    }

    @Test("F-1: an anchor with a counter is refused, because no counter would be raised")
    func counter() async throws {
        let house = try House()
        let error = await #expect(throws: SecretStoreError.self) {
            _ = try await house.client(anchor: CountingAnchor(base: MemoryAnchor()))
        }
        #expect(error?.code == .unavailable)
        #expect(house.allNames.isEmpty)
    }

    @Test("F-1: to read an item and write it under its version costs one call each below")
    func calls() async throws {
        let house = try House()
        let spy = RecordingSecretStore(house.below)
        let store = try await SealingStore.open(over: spy, under: [house.key], creating: true)
        try await store.put("one", at: house.name)
        let before = spy.calls.count
        let item = try #require(try await store.read(house.name))
        let outcome = try await store.write(
            item.value,
            to: house.name,
            accessibility: item.accessibility,
            if: .version(item.version)
        )
        guard case .written = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(spy.calls.count == before + 2)
    }
}
