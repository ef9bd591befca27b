import GcryptKeystore
import PortcullisCore
import Synchronization
import Testing

/// An anchor in memory with a counter, which can be told not to move.
private final class CountingAnchor: RollbackAnchor, RollbackCounter {
    private struct State {
        var record: [UInt8]?
        var value: UInt64 = 7
        var isStuck = false
        var isThere = true
    }

    private let state = Mutex(State())
    let place = "memory"
    var counter: (any RollbackCounter)? { self }

    func records() throws(SecretStoreError) -> [UInt8]? { state.withLock { $0.record } }

    func keep(_ record: [UInt8], turn: UInt64, for reason: AnchorReason) throws(SecretStoreError) {
        state.withLock { $0.record = record }
    }

    func counts(_ reason: AnchorReason) -> Bool { reason != .other }

    func setUp(for store: [UInt8]) throws(SecretStoreError) -> UInt32 { 1 }

    func value(of counter: UInt32, store: [UInt8]) throws(SecretStoreError) -> UInt64? {
        state.withLock { $0.isThere && counter == 1 ? $0.value : nil }
    }

    func raise(_ counter: UInt32, store: [UInt8]) throws(SecretStoreError) {
        let isStuck = state.withLock { state in
            if !state.isStuck { state.value += 1 }
            return state.isStuck
        }
        if isStuck { throw SecretStoreError(code: .unavailable, message: "told to", path: place) }
    }

    var value: UInt64 { state.withLock { $0.value } }
    func stick(_ isStuck: Bool) { state.withLock { $0.isStuck = isStuck } }
    func removeCounter() { state.withLock { $0.isThere = false } }

    /// Puts an earlier record in the place of the last one, as a copy of the anchor's file does.
    var record: [UInt8]? {
        get { state.withLock { $0.record } }
        set { state.withLock { $0.record = newValue } }
    }
}

@Suite("A rollback anchor with a counter (H-4)", .timeLimit(.minutes(10)))
struct AnchorCounterTests {
    private let anchor = CountingAnchor()
    private let disk = SimulatedDisk()

    private func open(_ disk: SimulatedDisk) async throws -> GcryptKeystore {
        var configuration = Setup.configuration()
        configuration.anchor = anchor
        return try await GcryptKeystore.open(configuration, files: disk)
    }

    private func writeOwnItem(_ store: GcryptKeystore) async throws {
        let own = try SecretName("ada", in: SecretNamespace("portcullis.passcode"))
        _ = try await store.write(secret("r"), to: own, accessibility: .afterFirstUnlock)
    }

    @Test("H-4: the counter is raised once for each change that counts, and for no other")
    func counts() async throws {
        let store = try await open(disk)
        let first = anchor.value
        try await store.put("1", "item")
        #expect(anchor.value == first)
        for round in 1...3 {
            try await writeOwnItem(store)
            #expect(anchor.value == first + UInt64(round))
        }
        #expect(store.lastAnchorFailure == nil)
    }

    @Test(
        "H-4: a change that counts and was cut short before the counter was raised is counted when the store is opened"
    )
    func cutShort() async throws {
        let store = try await open(disk)
        let first = anchor.value
        anchor.stick(true)
        try await writeOwnItem(store)
        #expect(store.lastAnchorFailure?.code == .unavailable)
        anchor.stick(false)
        #expect(anchor.value == first)
        let image = disk.image
        try await open(SimulatedDisk(image)).close()
        #expect(anchor.value == first + 1)
        try await open(SimulatedDisk(image)).close()
        #expect(anchor.value == first + 1)
    }

    @Test(
        "H-4: a change that counts and was cut short is counted by the next change of another process, once"
    )
    func cutShortBesideAnother() async throws {
        let (store, other) = (try await open(disk), try await open(disk))
        let first = anchor.value
        anchor.stick(true)
        try await writeOwnItem(store)
        anchor.stick(false)
        // A change that does not count by itself, in a handle that does not know of the failure.
        try await other.put("1", "item")
        #expect(anchor.value == first + 1)
        try await other.put("2", "item")
        #expect(anchor.value == first + 1)
        #expect(other.lastAnchorFailure == nil)
        #expect(try await open(disk).get("item") == "2")
    }

    @Test(
        "H-4: store and record of before a counted change are rolledBack, and so is a store without its counter"
    )
    func rollback() async throws {
        let store = try await open(disk)
        try await store.put("1", "item")
        let (old, record) = (disk.image, anchor.record)
        try await writeOwnItem(store)
        try await writeOwnItem(store)
        await store.close()
        let (now, last) = (disk.image, anchor.record)
        anchor.record = record
        #expect(await code { try await open(SimulatedDisk(old)) } == .rolledBack)
        anchor.record = nil
        #expect(await code { try await open(SimulatedDisk(now)) } == .rolledBack)
        anchor.record = last
        #expect(try await open(SimulatedDisk(now)).get("item") == "1")
        anchor.removeCounter()
        #expect(await code { try await open(SimulatedDisk(now)) } == .rolledBack)
    }
}
