import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@testable import SealingStore

/// A client's stored numbers, and what a crash or a lost answer leaves of them.
@Suite("Stored numbers of different content have different numbers (F-1)", .timeLimit(.minutes(2)))
struct SeenLedgerTests {
    /// A store that loses the answer to changes, or the changes themselves, as often as it is told to.
    private final class LosingStore: ForwardingSecretStore {
        let base: any SecretStore
        private let space: SecretNamespace
        private let lost = Mutex((count: 0, isMade: false))

        init(_ base: any SecretStore, _ space: SecretNamespace) { (self.base, self.space) = (base, space) }

        func lose(_ count: Int, isMade: Bool) { lost.withLock { $0 = (count, isMade) } }

        func write(
            _ value: SecretBytes,
            to name: SecretName,
            accessibility: Accessibility,
            if precondition: WritePrecondition
        ) async throws(SecretStoreError) -> WriteOutcome {
            let (isLost, isMade) = lost.withLock { lost in
                guard name.namespace == space, lost.count > 0 else { return (false, true) }
                lost.count -= 1
                return (true, lost.isMade)
            }
            if isMade {
                let outcome = try await base.write(
                    value,
                    to: name,
                    accessibility: accessibility,
                    if: precondition
                )
                if !isLost { return outcome }
            }
            throw SecretStoreError(code: .outcomeUnknown, message: "no answer came")
        }
    }

    /// An anchor that cannot be written, as after a kill before it is.
    private struct LockedAnchor: RollbackAnchor {
        let base: MemoryAnchor
        var place: String { base.place }

        func records() throws(SecretStoreError) -> [UInt8]? { try base.records() }

        func keep(_ record: [UInt8], turn: UInt64, for reason: AnchorReason) throws(SecretStoreError) {
            throw SecretStoreError(code: .systemFailure, message: "told to")
        }
    }

    private let house: House
    private let anchor = MemoryAnchor()

    init() throws { house = try House() }

    /// The stored numbers of all clients.
    private func stored(_ space: SecretNamespace) async throws -> [(SecretName, StoredSecret?)] {
        var items: [(SecretName, StoredSecret?)] = []
        for name in try await house.below.names(in: space) {
            items.append((name, try await house.below.read(name)))
        }
        return items
    }

    private func putBack(_ items: [(SecretName, StoredSecret?)]) async throws {
        for (name, item) in items { try await house.put(item, at: name) }
    }

    private func demandRolledBack() async {
        let error = await #expect(throws: SecretStoreError.self) {
            _ = try await house.client(anchor: anchor)
        }
        #expect(error?.code == .rolledBack)
    }

    @Test("F-1: a page whose answer was lost is put back after a later one, and the store is rolled back")
    func page() async throws {
        let space = try SeenLedger.space(try await house.client().names)
        let base = LosingStore(house.below, space)
        let store = try await SealingStore.open(over: base, under: [house.key], anchor: anchor)
        try await store.put("old", at: house.name)
        base.lose(1, isMade: true)
        let lost = await #expect(throws: SecretStoreError.self) { try await store.keepSeen() }
        #expect(lost?.code == .outcomeUnknown)
        let old = try await stored(space)
        #expect(old.count == 1)
        try await store.put("new", at: house.name)
        try await store.keepSeen()
        _ = try await house.client(anchor: anchor)
        try await putBack(old)
        await demandRolledBack()
    }

    @Test("F-1: a page that was not written anew does not count as put back later")
    func notWritten() async throws {
        let space = try SeenLedger.space(try await house.client().names)
        let base = LosingStore(house.below, space)
        let store = try await SealingStore.open(over: base, under: [house.key], anchor: anchor)
        try await store.put("old", at: house.name)
        try await store.keepSeen()
        // All pages are to be written anew, and the first one is not.
        base.lose(1, isMade: false)
        try await store.rotateValueKey()
        await #expect(throws: SecretStoreError.self) {
            try await store.retireValueKeys(resealing: [house.name.namespace])
        }
        try await store.put("other", at: house.other)
        try await store.keepSeen()
        #expect(try await house.client(anchor: anchor).text(at: house.other) == "other")
    }

    @Test("F-1: reads of unchanged items leave nothing to keep, after a restart neither")
    func unchanged() async throws {
        let spy = RecordingSecretStore(house.below)
        func open() async throws -> SealingStore<RecordingSecretStore<InMemorySecretStore>> {
            try await SealingStore.open(over: spy, under: [house.key], creating: true, anchor: anchor)
        }
        func writes(_ work: () async throws -> Void) async throws -> Int {
            let before = spy.count(of: .write)
            try await work()
            return spy.count(of: .write) - before
        }
        let first = try await open()
        try await first.put("one", at: house.name)
        #expect(try await writes { try await first.keepSeen() } > 0)
        for store in [first, try await open()] {
            let count = try await writes {
                for _ in 0..<3 { #expect(try await store.text(at: house.name) == "one") }
                #expect(try await store.read(house.other) == nil)
                try await store.keepSeen()
            }
            #expect(count == 0)
        }
        // What another client changed is new to this one.
        try await house.client().put("two", at: house.name)
        let count = try await writes {
            #expect(try await first.text(at: house.name) == "two")
            try await first.keepSeen()
        }
        #expect(count == 2)
    }

    @Test("F-1: a root that was written and not witnessed is put back after a later one: rolled back")
    func root() async throws {
        var store = try await house.client(anchor: anchor)
        let space = try SeenLedger.space(store.names)
        try await store.put("older", at: house.name)
        try await store.keepSeen()
        let killed = try await SealingStore.open(
            over: house.below,
            under: [house.key],
            anchor: LockedAnchor(base: anchor)
        )
        try await killed.put("old", at: house.name)
        await #expect(throws: SecretStoreError.self) { try await killed.keepSeen() }
        let old = try await stored(space)
        store = try await house.client(anchor: anchor)
        try await store.put("new", at: house.name)
        try await store.keepSeen()
        try await putBack(old)
        await demandRolledBack()
    }

    @Test(
        "F-1: numbers that were stored and not witnessed are witnessed by a client that only reads",
        arguments: [false, true]
    )
    func onlyRead(_ isRootWritten: Bool) async throws {
        var store = try await house.client(anchor: anchor)
        let space = try SeenLedger.space(store.names)
        let below = try await house.nameBelow(house.name)
        try await store.put("older", at: house.name)
        try await store.keepSeen()
        let (older, item) = (try await stored(space), try await house.below.read(below))
        // A kill before the anchor is written, or already before the root is.
        let base = LosingStore(house.below, space)
        let killed = try await SealingStore.open(
            over: base,
            under: [house.key],
            anchor: LockedAnchor(base: anchor)
        )
        try await killed.put("old", at: house.name)
        if !isRootWritten { base.lose(1, isMade: true) }
        await #expect(throws: SecretStoreError.self) { try await killed.keepSeen() }
        store = try await house.client(anchor: anchor)
        #expect(try await store.text(at: house.name) == "old")
        try await store.keepSeen()
        let last = try await stored(space)
        try await putBack(older)
        try await house.put(item, at: below)
        await demandRolledBack()
        // With the numbers of the client that read, the older item is refused.
        try await putBack(last)
        let again = try await house.client(anchor: anchor)
        #expect(await again.failure(at: house.name) == .rolledBack)
    }
}
