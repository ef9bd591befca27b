import PortcullisCore
import Testing

@testable import SealedSession

/// What locks and unlocks of a session do to its store and its agent, in whatever order they come.
@Suite("the seal of a session (K-8)", .timeLimit(.minutes(5)))
struct SessionSealTests {
    private let key = SecretBytes(randomCount: 32)
    private let passphrase = SecretBytes(copying: "a way back".utf8)
    private let file = InMemorySealableStore.File()

    private func seal(_ store: InMemorySealableStore, recovery: SecretBytes? = nil) throws -> SessionSeal {
        try SessionSeal(of: store, recovery: recovery, at: "a store", environment: [:])
    }

    /// A store that is sealed under the key, and locked.
    private func sealedStore() async throws -> InMemorySealableStore {
        try await InMemorySealableStore(file).seal(under: key, recoverableWith: [passphrase])
        return InMemorySealableStore(file)
    }

    private func failure(
        _ body: () async throws(SecretStoreError) -> Void
    ) async -> SecretStoreError? {
        do throws(SecretStoreError) { try await body() } catch { return error }
        return nil
    }

    @Test(
        "K-8: a late lock of an earlier number changes nothing, and a lock of a later one locks store and agent"
    )
    func lateLock() async throws {
        let store = try await sealedStore()
        let seal = try seal(store)
        try await seal.open(with: key, for: 3)
        seal.admit(for: 3)
        for generation in [0, 2, 3] as [UInt64] {
            seal.lock(for: generation)
            #expect(seal.agent.isOpen && !store.isLocked, "\(generation)")
        }
        seal.lock(for: 4)
        #expect(!seal.agent.isOpen && store.isLocked)
        await seal.agent.stop()
    }

    @Test("K-8: a proof that comes before the report of its lock, and opens nothing, leaves nothing open")
    func fasterProof() async throws {
        let store = try await sealedStore()
        let seal = try seal(store)
        try await seal.open(with: key, for: 1)
        seal.admit(for: 1)
        let error = await failure { () throws(SecretStoreError) in
            try await seal.open(with: SecretBytes(randomCount: 32), for: 2)
        }
        #expect(error?.code == .wrongKey)
        #expect(!seal.agent.isOpen && store.isLocked)
        seal.admit(for: 2)
        #expect(!seal.agent.isOpen)
        // The report of the lock comes now, and then the right passcode.
        seal.lock(for: 2)
        #expect(!seal.agent.isOpen && store.isLocked)
        try await seal.open(with: key, for: 2)
        seal.admit(for: 2)
        #expect(seal.agent.isOpen && !store.isLocked)
        // A proof that was faster than its lock stays, although the lock is reported after it.
        try await seal.open(with: key, for: 3)
        seal.lock(for: 3)
        #expect(!store.isLocked && !seal.agent.isOpen)
        await seal.agent.stop()
    }

    @Test("K-8: a passcode that was entered for an earlier lock than the last one opens nothing")
    func latePasscode() async throws {
        let store = try await sealedStore()
        let seal = try seal(store)
        seal.lock(for: 5)
        // A lock that comes late does not make the last one earlier.
        seal.lock(for: 3)
        let error = await failure { () throws(SecretStoreError) in try await seal.open(with: key, for: 4) }
        #expect(error?.code == .classLocked && error?.message == "the session was locked again")
        #expect(store.isLocked && !seal.hasOpened)
        seal.admit(for: 4)
        #expect(!seal.agent.isOpen)
        try await seal.open(with: key, for: 5)
        #expect(!store.isLocked && seal.hasOpened)
        await seal.agent.stop()
    }

    @Test("K-8: the lock that a session begins with has the lowest number there is")
    func firstLock() async throws {
        let store = try await sealedStore()
        let seal = try seal(store)
        try await seal.open(with: key, for: 0)
        seal.admit(for: 0)
        #expect(seal.agent.isOpen && !store.isLocked)
        await seal.agent.stop()
    }

    @Test("K-8: the agent is opened for the lock that was opened, and for no other")
    func admits() async throws {
        let store = try await sealedStore()
        let seal = try seal(store)
        seal.admit(for: 0)
        #expect(!seal.agent.isOpen)
        try await seal.open(with: key, for: 2)
        #expect(!seal.agent.isOpen)
        for generation in [1, 3] as [UInt64] {
            seal.admit(for: generation)
            #expect(!seal.agent.isOpen)
        }
        seal.admit(for: 2)
        #expect(seal.agent.isOpen)
        await seal.agent.stop()
    }

    @Test("K-8: a session that was not unlocked in the end is locked again, and another one stays open")
    func givesUp() async throws {
        let store = try await sealedStore()
        let seal = try seal(store)
        try await seal.open(with: key, for: 2)
        seal.admit(for: 2)
        for generation in [1, 3] as [UInt64] {
            seal.giveUp(for: generation)
            #expect(seal.agent.isOpen && !store.isLocked)
        }
        seal.giveUp(for: 2)
        #expect(!seal.agent.isOpen && store.isLocked)
        seal.admit(for: 2)
        #expect(!seal.agent.isOpen)
        try await seal.open(with: key, for: 2)
        #expect(!store.isLocked)
        seal.end()
        #expect(store.isLocked)
        seal.admit(for: 2)
        #expect(!seal.agent.isOpen)
        await seal.agent.stop()
    }

    @Test("K-8: a second proof that opens nothing leaves open what the first one opened for the same lock")
    func secondProof() async throws {
        let store = try await sealedStore()
        let seal = try seal(store)
        try await seal.open(with: key, for: 1)
        seal.admit(for: 1)
        let error = await failure { () throws(SecretStoreError) in
            try await seal.open(with: SecretBytes(randomCount: 32), for: 1)
        }
        #expect(error?.code == .wrongKey)
        #expect(seal.agent.isOpen && !store.isLocked)
        seal.lock(for: 2)
        #expect(!seal.agent.isOpen && store.isLocked)
        await seal.agent.stop()
    }

    @Test("K-8: a proof without a key, and another key, open nothing")
    func wrongKey() async throws {
        let store = try await sealedStore()
        let seal = try seal(store, recovery: passphrase)
        let missing = await failure { () throws(SecretStoreError) in try await seal.open(with: nil, for: 1) }
        #expect(missing?.code == .wrongKey && missing?.message == "a sealed store needs the passcode")
        let other = await failure { () throws(SecretStoreError) in
            try await seal.open(with: SecretBytes(randomCount: 32), for: 1)
        }
        #expect(other?.code == .wrongKey)
        #expect(store.isLocked && !seal.hasOpened && !seal.isSealedByOther && seal.isSealed)
        await seal.agent.stop()
    }

    @Test("K-8: whose recovery passphrase opens the store is known: this session's, or another's")
    func sealedByOther() async throws {
        let first = try seal(InMemorySealableStore(file), recovery: passphrase)
        #expect(!first.isSealed)
        try await first.open(with: key, for: 1)
        #expect(first.isSealed && !first.isSealedByOther)
        // The passphrase was used up, so the next unlock says no different.
        first.lock(for: 2)
        try await first.open(with: key, for: 2)
        #expect(!first.isSealedByOther)

        let second = try seal(InMemorySealableStore(file), recovery: SecretBytes(copying: "another way".utf8))
        try await second.open(with: key, for: 1)
        #expect(second.isSealedByOther)
        second.lock(for: 2)
        try await second.open(with: key, for: 2)
        #expect(second.isSealedByOther)

        let third = try seal(InMemorySealableStore(file))
        try await third.open(with: key, for: 1)
        #expect(!third.isSealedByOther)
        for seal in [first, second, third] { await seal.agent.stop() }
    }

    @Test(
        "K-8: a store is sealed once, and not without a recovery passphrase; what is not sealed stays readable"
    )
    func notSealed() async throws {
        let store = InMemorySealableStore(file)
        let plain = try seal(store)
        try await plain.open(with: key, for: 1)
        #expect(plain.hasOpened && !plain.isSealed)
        plain.admit(for: 1)
        plain.lock(for: 2)
        #expect(!plain.agent.isOpen && !store.isLocked)

        let seal = try seal(store, recovery: passphrase)
        try await seal.open(with: key, for: 1)
        #expect(store.isSealed)
        try await store.unseal(with: .key(key))
        seal.lock(for: 2)
        try await seal.open(with: key, for: 2)
        #expect(!store.isSealed, "it was unsealed on purpose")
        for seal in [plain, seal] { await seal.agent.stop() }
    }

    @Test("K-8: a store is unsealed with its key or its passphrase, and with nothing else")
    func unseals() async throws {
        let store = try await sealedStore()
        let error = await failure { () throws(SecretStoreError) in
            try await store.unseal(with: .recovery(SecretBytes(copying: "another way".utf8)))
        }
        #expect(error?.code == .wrongKey && store.isSealed)
        try await store.unseal(with: .recovery(passphrase))
        #expect(!store.isSealed && !store.isLocked)
    }
}
