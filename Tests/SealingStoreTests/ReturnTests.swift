import PortcullisCore
import PortcullisTesting
import Testing

@testable import SealingStore

/// An item is put back after its removal, or planted, and a client writes over it.
@Suite("What is written over an item that was put back has a mark (F-1)", .timeLimit(.minutes(5)))
struct ReturnTests {
    private typealias Client = SealingStore<RecordingSecretStore<InMemorySecretStore>>

    private func replace(_ store: some SecretStore, _ name: SecretName, with text: String) async throws {
        let item = try #require(try await store.read(name))
        let outcome = try await store.write(
            SecretBytes(copying: text.utf8),
            to: name,
            accessibility: item.accessibility,
            if: .version(item.version)
        )
        guard case .written = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test("F-1: a client that saw the removal refuses what another one wrote over the item put back")
    func replaced() async throws {
        let house = try House()
        let (one, other, anchor) = (try await house.client(), try await house.client(), MemoryAnchor())
        let anchored = try await house.client(anchor: anchor)
        let below = try await house.nameBelow(house.name)
        try await one.put("value", at: house.name)
        #expect(try await anchored.text(at: house.name) == "value")
        let item = try await house.below.read(below)
        #expect(try await one.remove(house.name) == .removed)
        #expect(try await anchored.text(at: house.name) == nil)
        try await anchored.keepSeen()
        try await house.put(item, at: below)
        for round in 0..<3 { try await replace(other, house.name, with: "\(round)") }
        for client in [one, anchored, try await house.client(anchor: anchor)] {
            #expect(await client.failure(at: house.name) == .rolledBack)
            let error = await #expect(throws: SecretStoreError.self) {
                _ = try await client.read([house.other, house.name])
            }
            #expect(error?.code == .rolledBack)
        }
        // Made again it is an item for all of them, and taken away it is noticed by all.
        #expect(try await one.remove(house.name) == .removed)
        try await other.put("anew", at: house.name)
        for client in [one, anchored, other] {
            #expect(try await client.text(at: house.name) == "anew")
            #expect(try await client.read([house.name])[0] != nil)
        }
        try await house.put(nil, at: below)
        for client in [one, anchored, other] {
            #expect(await client.failure(at: house.name) == .rolledBack)
        }
    }

    /// The ways to write over an item without asking for its version.
    enum Writing: CaseIterable { case alone, inBatch, withoutBatches }

    private func write(_ text: String, _ house: House, _ client: Client, _ writing: Writing) async throws {
        switch writing {
        case .alone: try await client.put(text, at: house.name)
        case .inBatch:
            let value = SecretBytes(copying: text.utf8)
            let change = SecretChange.write(
                value,
                to: house.name,
                accessibility: .afterFirstUnlock,
                if: .none
            )
            guard case .committed = try await client.commit([change]) else {
                Issue.record("nothing conflicts")
                return
            }
        case .withoutBatches:
            let plain = try await SealingStore.open(over: PlainStore(base: house.below), under: [house.key])
            try await plain.put(text, at: house.name)
        }
    }

    @Test(
        "F-1: written over by a client that saw the removal, or never saw the item, it has a mark",
        arguments: Writing.allCases
    )
    func overwritten(_ writing: Writing) async throws {
        for isNew in [false, true] {
            let house = try House()
            let (one, reader) = (try await house.client(), try await house.client())
            let below = try await house.nameBelow(house.name)
            var earlier: [StoredSecret?] = []
            for round in 0..<4 {
                try await one.put("\(round)", at: house.name)
                earlier.append(try await house.below.read(below))
            }
            #expect(try await one.remove(house.name) == .removed)
            try await house.put(earlier[0], at: below)
            let writer = isNew ? try await house.client() : one
            try await write("new", house, writer, writing)
            let clients = [one, reader, writer]
            for client in clients { #expect(try await client.text(at: house.name) == "new") }
            // The item's number is above all of the removed one.
            for item in earlier + [nil] {
                try await house.put(item, at: below)
                for client in clients {
                    #expect(await client.failure(at: house.name) == .rolledBack)
                }
            }
        }
    }

    @Test("F-1: written over planted bytes where nothing was, it has a mark", arguments: Writing.allCases)
    func planted(_ writing: Writing) async throws {
        let house = try House()
        let (one, reader) = (try await house.client(), try await house.client())
        let below = try await house.nameBelow(house.name)
        for round in 0..<2 {
            _ = try await house.below.write(
                SecretBytes(copying: [UInt8](repeating: 1, count: 60)),
                to: below,
                accessibility: .afterFirstUnlock
            )
            #expect(await reader.failure(at: house.name) == .damaged)
            try await write("new \(round)", house, one, writing)
            for client in [one, reader] {
                #expect(try await client.text(at: house.name) == "new \(round)")
            }
            try await house.put(nil, at: below)
            for client in [one, reader] { #expect(await client.failure(at: house.name) == .rolledBack) }
            // Removed in the ordinary way it is no alarm.
            try await one.put("anew", at: house.name)
            #expect(try await reader.text(at: house.name) == "anew")
            #expect(try await one.remove(house.name) == .removed)
            #expect(try await reader.text(at: house.name) == nil)
        }
    }

    @Test("F-1: an item that is put back over a later one makes no room for either")
    func belowMark() async throws {
        let house = try House()
        let (one, newcomer) = (try await house.client(), try await house.client())
        let below = try await house.nameBelow(house.name)
        try await one.put("first", at: house.name)
        let first = try await house.below.read(below)
        #expect(try await one.remove(house.name) == .removed)
        for round in 0..<4 { try await one.put("second \(round)", at: house.name) }
        let second = try await house.below.read(below)
        try await house.put(first, at: below)
        try await newcomer.put("third", at: house.name)
        for item in [first, second, nil] {
            try await house.put(item, at: below)
            #expect(await newcomer.failure(at: house.name) == .rolledBack)
        }
    }

    @Test("F-1: a client that has not seen an item reads it, and writes it anew, in one call each")
    func costs() async throws {
        let house = try House()
        let one = try await house.client()
        try await one.put("value", at: house.name)
        let spy = RecordingSecretStore(house.below)
        let other = try await SealingStore.open(over: spy, under: [house.key])
        let before = spy.calls.count
        try await replace(other, house.name, with: "other")
        #expect(spy.calls.count == before + 2)
        // An item that is there again after its removal was seen costs one more call, once.
        #expect(try await other.remove(house.name) == .removed)
        try await one.put("again", at: house.name)
        var calls = spy.calls.count
        for cost in [2, 1, 1] {
            #expect(try await other.text(at: house.name) == "again")
            #expect(spy.calls.count == calls + cost)
            calls = spy.calls.count
        }
    }

    @Test("F-1: clients that make, remove, read and write over one item at once have no alarm")
    func atOnce() async throws {
        let house = try House()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<4 as Range<Int> {
                let store = try await house.client()
                group.addTask {
                    for round in 0..<40 {
                        switch (round * 7 + client * 5) % 4 {
                        case 0, 1: try await store.put("\(round)", at: house.name)
                        case 2: _ = try await store.remove(house.name)
                        default: _ = try await store.read([house.name, house.other])
                        }
                        await Task.yield()
                        _ = try await store.read(house.name)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
