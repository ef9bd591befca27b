import PortcullisCore
import Synchronization
import Testing

@testable import GcryptKeystore

@Suite("A commit that is sealed before its turn", .timeLimit(.minutes(10)))
struct PreparedCommitTests {
    private func prepared(_ store: GcryptKeystore, _ accessibility: Accessibility = .afterFirstUnlock) throws
        -> PreparedCommit?
    {
        let change = try SecretChange.write(
            secret("v"),
            to: name("item"),
            accessibility: accessibility,
            if: .none
        )
        return PreparedCommit([change], store.state, store.ring, "store")
    }

    private func fits(_ commit: PreparedCommit, _ store: GcryptKeystore) -> Bool {
        commit.fits(store.state.withLock { $0.view.head }, store.ring)
    }

    @Test("K-4: it fits until something is written, the file is replaced, or the class is locked or sealed")
    func fits() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("v", "item")
        let changes: [(GcryptKeystore) async throws -> Void] = [
            { _ = try await $0.put("w", "other") }, { try await $0.compact() },
            { try await $0.seal(under: SecretBytes(randomCount: 32)) }, { $0.lock() },
        ]
        for change in changes {
            let commit = try #require(try prepared(store))
            #expect(fits(commit, store))
            _ = try await store.get("item")
            #expect(fits(commit, store))
            try await change(store)
            #expect(!fits(commit, store))
        }
    }

    @Test("K-3, K-8: what the queue has to decide is not prepared")
    func undecided() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("v", "item")
        let conflict = try SecretChange.remove(name("item"), if: .absent)
        #expect(PreparedCommit([conflict], store.state, store.ring, "store") == nil)
        store.state.withLock { $0.view.freshness.begin() }
        #expect(try prepared(store) == nil)
        store.state.withLock { $0.view.freshness.finish() }
        store.lock()
        #expect(try prepared(store, .whenUnlocked) == nil)
        #expect(try prepared(store) != nil)
    }
}
