import PortcullisCore
import PortcullisTesting
import Testing

@testable import SealingStore

/// An item is taken away below, and its bucket has seen ordinary removals of other items.
@Suite("An item that was taken away without a removal is noticed (F-1)", .timeLimit(.minutes(5)))
struct AbsenceTests {
    /// Opens clients over a storage. The underlying store has batches or not.
    private typealias Open<Base: SecretStore> = (MemoryAnchor?) async throws -> SealingStore<Base>

    private func plain(_ house: House) -> Open<PlainStore> {
        { anchor in
            try await SealingStore.open(
                over: PlainStore(base: house.below),
                under: [house.key],
                creating: true,
                anchor: anchor
            )
        }
    }

    private func batched(_ house: House) -> Open<RecordingSecretStore<InMemorySecretStore>> {
        { anchor in try await house.client(anchor: anchor) }
    }

    @Test("F-1: although a later item of its bucket was removed, and at each client that had seen it")
    func neighbour() async throws {
        let (one, two) = (try House(), try House())
        try await takeAway(one, batched(one))
        try await takeAway(two, plain(two))
    }

    private func takeAway<Base: SecretStore>(_ house: House, _ open: Open<Base>) async throws {
        let anchor = MemoryAnchor()
        let (writer, reader, anchored) = (try await open(nil), try await open(nil), try await open(anchor))
        try await writer.put("four tries", at: house.name)
        try await writer.put("five tries", at: house.name)
        for client in [reader, anchored] { #expect(try await client.text(at: house.name) == "five tries") }
        try await anchored.keepSeen()
        let neighbour = try writer.neighbour(of: house.name)
        for round in 0..<9 {
            try await writer.put("session \(round)", at: neighbour)
            #expect(try await writer.remove(neighbour) == .removed)
        }
        let below = try await house.nameBelow(house.name)
        let item = try await house.below.read(below)
        try await house.put(nil, at: below)
        let restarted = try await open(anchor)
        for client in [writer, reader, anchored, restarted] {
            #expect(await client.failure(at: house.name) == .rolledBack)
            // What was noticed once is noticed again.
            #expect(await client.failure(at: house.name) == .rolledBack)
            #expect(try await client.text(at: neighbour) == nil)
        }
        // With the item there again, an ordinary removal is no alarm for any of them.
        try await house.put(item, at: below)
        #expect(try await writer.remove(house.name) == .removed)
        for client in [writer, reader, anchored, try await open(anchor)] {
            #expect(try await client.text(at: house.name) == nil)
        }
    }

    @Test("F-1: a write that demands the absence of an item that was taken away is refused")
    func demandedAbsence() async throws {
        let (one, two) = (try House(), try House())
        try await demandAbsence(one, batched(one))
        try await demandAbsence(two, plain(two))
        let store = try await one.client()
        try await store.put("used", at: one.other)
        try await one.put(nil, at: try await one.nameBelow(one.other))
        let value = SecretBytes(copying: "again".utf8)
        let error = await #expect(throws: SecretStoreError.self) {
            _ = try await store.commit([
                .write(value, to: one.other, accessibility: .afterFirstUnlock, if: .absent)
            ])
        }
        #expect(error?.code == .rolledBack)
    }

    private func demandAbsence<Base: SecretStore>(_ house: House, _ open: Open<Base>) async throws {
        let store = try await open(nil)
        func write() async throws(SecretStoreError) -> WriteOutcome {
            let value = SecretBytes(copying: "used".utf8)
            return try await store.write(value, to: house.name, accessibility: .afterFirstUnlock, if: .absent)
        }
        guard case .written(let version) = try await write() else {
            Issue.record("the item was absent")
            return
        }
        #expect(try await write() == .conflict(current: version))
        let below = try await house.nameBelow(house.name)
        let item = try await house.below.read(below)
        try await house.put(nil, at: below)
        let error = await #expect(throws: SecretStoreError.self) { _ = try await write() }
        #expect(error?.code == .rolledBack)
        try await house.put(item, at: below)
        try await store.remove(house.name)
        guard case .written = try await write() else {
            Issue.record("the item was removed")
            return
        }
    }

    @Test("F-1: with its floor put back as it was before the item")
    func olderFloor() async throws {
        let house = try House()
        let (writer, reader) = (try await house.client(), try await house.client())
        let neighbour = try writer.neighbour(of: house.name)
        try await writer.put("session", at: neighbour)
        try await writer.remove(neighbour)
        let floor = try writer.floorName(writer.names.place(of: house.name).bucket)
        let old = try #require(try await house.below.read(floor))
        try await writer.put("value", at: house.name)
        // The reader has seen the item, and no floor.
        #expect(try await reader.text(at: house.name) == "value")
        try await house.put(nil, at: try await house.nameBelow(house.name))
        try await house.put(old, at: floor)
        #expect(await reader.failure(at: house.name) == .rolledBack)
        #expect(await writer.failure(at: house.name) == .rolledBack)
        try await house.put(nil, at: floor)
        #expect(await reader.failure(at: house.name) == .rolledBack)
    }

    @Test("F-1: without batches a floor put back as it was before this client raised it is noticed")
    func raisedFloor() async throws {
        let house = try House()
        let store = try await plain(house)(nil)
        try await store.put("value", at: house.name)
        let floor = try store.floorName(store.names.place(of: house.name).bucket)
        let old = try #require(try await house.below.read(floor))
        let neighbour = try store.neighbour(of: house.name)
        try await store.put("value", at: neighbour)
        try await house.put(old, at: floor)
        let third = try store.neighbour(of: house.name, butNot: [neighbour])
        let error = await #expect(throws: SecretStoreError.self) { try await store.put("value", at: third) }
        #expect(error?.code == .rolledBack)
    }

    @Test("F-1: made and removed by a batch that also removes another item of its bucket")
    func batch() async throws {
        let house = try House()
        let (writer, reader) = (try await house.client(), try await house.client())
        let neighbour = try writer.neighbour(of: house.name)
        for name in [house.name, neighbour] { try await writer.put("value", at: name) }
        #expect(try await reader.read([house.name, neighbour]).allSatisfy { $0 != nil })
        let value = SecretBytes(copying: "value".utf8)
        let third = try writer.neighbour(of: house.name, butNot: [neighbour])
        let changes: [SecretChange] = [
            .remove(neighbour, if: .none),
            .write(value, to: third, accessibility: .afterFirstUnlock, if: .absent),
        ]
        guard case .committed = try await writer.commit(changes) else {
            Issue.record("nothing conflicts")
            return
        }
        #expect(try await reader.text(at: neighbour) == nil)
        #expect(try await reader.text(at: third) == "value")
        for name in [house.name, third] {
            let below = try await house.nameBelow(name)
            let item = try await house.below.read(below)
            try await house.put(nil, at: below)
            let error = await #expect(throws: SecretStoreError.self) { _ = try await reader.read([name]) }
            #expect(error?.code == .rolledBack)
            try await house.put(item, at: below)
        }
        _ = try await writer.commit([.remove(house.name, if: .none), .remove(third, if: .none)])
        for name in [house.name, third] { #expect(try await reader.text(at: name) == nil) }
    }

    @Test("F-1: a client that missed a removal and a later life of the item has no alarm")
    func missed() async throws {
        let (one, two) = (try House(), try House())
        try await missed(one, batched(one))
        try await missed(two, plain(two))
    }

    private func missed<Base: SecretStore>(_ house: House, _ open: Open<Base>) async throws {
        let (writer, reader) = (try await open(nil), try await open(nil))
        for life in 0..<3 {
            try await writer.put("life \(life)", at: house.name)
            if life == 0 { #expect(try await reader.text(at: house.name) == "life 0") }
            #expect(try await writer.remove(house.name) == .removed)
        }
        #expect(try await reader.text(at: house.name) == nil)
        // A writer that has no batches below it may be killed between the floor and the item: the floor then
        // holds a mark of an item that never was.
        try await writer.put("life 3", at: house.name)
        #expect(try await reader.text(at: house.name) == "life 3")
        #expect(try await writer.remove(house.name) == .removed)
        try await writer.put("life 4", at: house.name)
        try await house.put(nil, at: try await house.nameBelow(house.name))
        #expect(try await reader.text(at: house.name) == nil)
        try await open(nil).put("life 5", at: house.name)
        #expect(try await reader.text(at: house.name) == "life 5")
        try await house.put(nil, at: try await house.nameBelow(house.name))
        #expect(await reader.failure(at: house.name) == .rolledBack)
    }

    @Test("F-1: clients that make, remove and read items of one bucket at once have no alarm")
    func atOnce() async throws {
        let house = try House()
        let first = try await house.client()
        let one = try first.neighbour(of: house.name)
        let names = [house.name, one, try first.neighbour(of: house.name, butNot: [one])]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<4 as Range<Int> {
                let store = try await house.client()
                group.addTask {
                    for round in 0..<40 {
                        let name = names[(round + client) % 3]
                        switch (round * 7 + client * 5) % 4 {
                        case 0: try await store.put("\(round)", at: name)
                        case 1: _ = try await store.remove(name)
                        default: _ = try await store.read(name)
                        }
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
        for name in names {
            try await first.put("value", at: name)
            let below = try await house.nameBelow(name)
            try await house.put(nil, at: below)
            #expect(await first.failure(at: name) == .rolledBack)
        }
    }

    @Test("F-1: marks cost no call: to make or remove an item is a read of its floor and one commit")
    func costs() async throws {
        let house = try House()
        let spy = RecordingSecretStore(house.below)
        let store = try await SealingStore.open(over: spy, under: [house.key], creating: true)
        func calls(_ work: () async throws -> Void) async throws -> Int {
            let before = spy.calls.count
            try await work()
            return spy.calls.count - before
        }
        let value = SecretBytes(copying: [1])
        func write(if condition: WritePrecondition) async throws -> SecretVersion? {
            let outcome = try await store.write(
                value,
                to: house.name,
                accessibility: .afterFirstUnlock,
                if: condition
            )
            guard case .written(let version) = outcome else { return nil }
            return version
        }
        var version: SecretVersion?
        #expect(try await calls { version = try await write(if: .absent) } == 2)
        let first = try #require(version)
        #expect(try await calls { version = try await write(if: .version(first)) } == 1)
        let second = try #require(version)
        #expect(try await calls { _ = try await store.remove(house.name, if: .version(second)) } == 2)
        // Its absence was seen.
        #expect(try await calls { _ = try await store.read(house.name) } == 1)
    }

    @Test("F-1: a floor from before it had marks is refused, and the error says what to do")
    func earlierForm() async throws {
        let house = try House()
        let store = try await house.client()
        let bucket = try store.names.place(of: house.name).bucket
        let old = try Envelope.seal(
            SecretBytes(copying: [3, 0, 0, 0, 0, 0, 0, 0]),
            number: 3,
            under: store.keyring.sealing,
            Binding(
                kind: .floor,
                name: [UInt8](UInt32(bucket)),
                accessibility: .afterFirstUnlockThisDeviceOnly
            )
        )
        let name = try store.floorName(bucket)
        _ = try await house.below.write(old, to: name, accessibility: .afterFirstUnlockThisDeviceOnly)
        let error = await #expect(throws: SecretStoreError.self) {
            try await store.put("value", at: house.name)
        }
        #expect(error?.code == .damaged && error?.message.contains("make the store anew") == true)
    }

    @Test("F-1: an item that was taken away is written anew, and taken away again it is noticed again")
    func anew() async throws {
        let house = try House()
        let (writer, reader) = (try await house.client(), try await house.client())
        let below = try await house.nameBelow(house.name)
        try await writer.put("one", at: house.name)
        #expect(try await reader.text(at: house.name) == "one")
        for _ in 0..<2 {
            try await house.put(nil, at: below)
            #expect(await reader.failure(at: house.name) == .rolledBack)
            try await writer.put("two", at: house.name)
            #expect(try await reader.text(at: house.name) == "two")
        }
        #expect(try await writer.remove(house.name) == .removed)
        #expect(try await reader.text(at: house.name) == nil)
    }
}

extension SealingStore {
    /// A name whose item shares its floor with another one's.
    func neighbour(of name: SecretName, butNot others: [SecretName] = []) throws -> SecretName {
        let bucket = try names.place(of: name).bucket
        for number in 0..<1_000_000 {
            let other = try SecretName("session-\(number)", in: name.namespace)
            if try names.place(of: other).bucket == bucket, !others.contains(other) { return other }
        }
        throw SecretStoreError(code: .unavailable, message: "no name shares the bucket")
    }
}
