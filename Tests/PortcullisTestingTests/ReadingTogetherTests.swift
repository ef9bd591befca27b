import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

/// A store with batches that leaves reading together to the port.
private struct PlainBatches: ForwardingSecretStore, TransactionalSecretStore {
    let memory: InMemorySecretStore
    /// Changes something before each read.
    var atRead: @Sendable () async throws(SecretStoreError) -> Void = {}

    var base: any SecretStore { memory }

    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        try await atRead()
        await Task.yield()
        return try await memory.read(name)
    }

    func commit(_ changes: [SecretChange]) async throws(SecretStoreError) -> CommitOutcome {
        try await memory.commit(changes)
    }
}

@Suite("Reading several items at one moment, as the port does it (X-3)", .timeLimit(.minutes(2)))
struct ReadingTogetherTests {
    @Test(
        "X-3: the default keeps the clauses about reading together",
        arguments: [SecretStoreContract.readsOneMoment, .lockedClass]
    )
    func contract(_ clause: SecretStoreContract) async throws {
        let result = try await clause.check(
            SecretStoreSubject(
                lock: { ($0 as? PlainBatches)?.memory.lock() },
                unlock: { ($0 as? PlainBatches)?.memory.unlock() },
                reopening: {
                    let storage = InMemorySecretStore.Storage()
                    return { PlainBatches(memory: InMemorySecretStore(storage)) }
                }
            )
        )
        #expect(result == .kept)
    }

    @Test("X-3: where the items change all the time, the default ends and says so; one item is read once")
    func neverStill() async throws {
        let base = InMemorySecretStore()
        let reads = Mutex(0)
        let name = try SecretName("n", in: SecretNamespace("s"))
        let other = try SecretName("o", in: SecretNamespace("s"))
        let store = PlainBatches(memory: base) { () async throws(SecretStoreError) in
            reads.withLock { $0 += 1 }
            try await base.write(SecretBytes(copying: [1]), to: name, accessibility: .afterFirstUnlock)
        }
        let error = await #expect(throws: SecretStoreError.self) { _ = try await store.read([name, other]) }
        #expect(error?.code == .lockTimeout)
        #expect(reads.withLock { $0 } == 2 * 101)
        #expect(try await store.read([name]).count == 1)
        #expect(reads.withLock { $0 } == 2 * 101 + 1)
    }
}
