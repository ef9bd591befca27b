import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

/// What one unlock costs the store: a store on a server answers each call in milliseconds.
@Suite("What an unlock costs (P-32)", .timeLimit(.minutes(2)))
struct UnlockCostTests {
    private let passcode = SecretBytes("834912")
    private let store = RecordingSecretStore(InMemorySecretStore())

    private func service() throws -> PasscodeService {
        try PasscodeService(
            user: .ada,
            backends: Backends(secrets: store, sealer: FastPasscodeSealer(), clock: ManualClock()),
            session: InMemorySession(SignedInUser(id: .ada, role: .staff)),
            configuration: PasscodeConfiguration(appName: "Test")
        )
    }

    @Test("P-32: an unlock waits for three writes and for no read, and reads at most once for each signal")
    func unlock() async throws {
        let service = try service()
        try await service.set(passcode)
        let session = LockSession(service: service)
        await session.launch()
        await session.lock()
        let generation = await session.state.generation
        try await BoundedWait.until("the signals of the set-up") { await isQuiet() }
        store.forgetCalls()

        guard case .right(let proof) = try await service.verify(passcode) else {
            Issue.record("the passcode is right")
            return
        }
        #expect(await session.unlock(with: proof, generation: generation))
        try await BoundedWait.until("the signals") { await isQuiet() }
        let (writes, reads) = (store.count(of: .write), store.count(of: .read))
        #expect(writes == 3, "the count, its end, the mark: \(store.calls)")
        #expect(reads <= 3, "the session at its own signals: \(store.calls)")
        #expect(writes + reads == store.calls.count)
    }

    @Test("P-32: a right passcode is two writes, and nothing is read for it")
    func right() async throws {
        let service = try service()
        try await service.set(passcode)
        store.forgetCalls()
        _ = try await service.verify(passcode)
        #expect(store.calls.map(\.operation) == [.write, .write])
    }

    @Test("P-32: a wrong passcode is one write, and nothing is read for it")
    func wrong() async throws {
        let service = try service()
        try await service.set(passcode)
        store.forgetCalls()
        _ = try await service.verify(SecretBytes("270954"))
        #expect(store.calls.map(\.operation) == [.write])
    }

    @Test("P-7: what another process changed is seen, though this one remembers the record")
    func remembered() async throws {
        let (service, other) = (try service(), try service())
        try await service.set(passcode)
        let new = SecretBytes("617305")
        guard case .right = try await other.change(from: passcode, to: new) else {
            Issue.record("the passcode is right")
            return
        }
        // The remembered record has the old passcode.
        guard case .wrong(let failures, _) = try await service.verify(passcode) else {
            Issue.record("the passcode is another one")
            return
        }
        #expect(failures == 1)
        _ = try await other.verify(SecretBytes("000000"))
        guard case .wrong(3, _) = try await service.verify(passcode) else {
            Issue.record("a try of the other process was not counted")
            return
        }
        guard case .right = try await service.verify(new) else {
            Issue.record("the new passcode is right")
            return
        }
    }

    /// Whether the store was left alone for a while.
    private func isQuiet() async -> Bool {
        let before = store.calls.count
        for _ in 0..<200 { await Task.yield() }
        return store.calls.count == before
    }
}
