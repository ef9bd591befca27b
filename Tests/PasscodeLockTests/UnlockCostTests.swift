import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

/// What one unlock costs the store: a store on a server answers each call in milliseconds.
@Suite("What an unlock costs (P-32)", .timeLimit(.minutes(2)))
struct UnlockCostTests {
    private let passcode = SecretBytes("834912")
    private let store = RecordingSecretStore(InMemorySecretStore())

    private func service(_ store: (any SecretStore)? = nil) throws -> PasscodeService {
        try PasscodeService(
            user: .ada,
            backends: Backends(
                secrets: store ?? self.store,
                sealer: FastPasscodeSealer(),
                clock: ManualClock()
            ),
            session: InMemorySession(.ada),
            configuration: PasscodeConfiguration(appName: "Test")
        )
    }

    @Test("P-32: an unlock waits for three writes and for no read, and each signal is one read")
    func unlock() async throws {
        // The test sends the signals: a read that a write overtakes is made again, which no count could foresee.
        let quiet = QuietStore(.init(), capabilities: .signalsOwnChanges, isStreamOpen: true)
        let store = RecordingSecretStore(quiet)
        let service = try service(store)
        try await service.set(passcode)
        let session = LockSession(service: service)
        await session.launch()
        await session.lock()
        let generation = await session.state.generation
        store.forgetCalls()

        guard case .right(let proof) = try await service.verify(passcode) else {
            Issue.record("the passcode is right")
            return
        }
        #expect(await session.unlock(with: proof, generation: generation))
        #expect(store.calls.map(\.operation) == [.write, .write, .write], "the count, its end, the mark")
        store.forgetCalls()
        for signals in 1...3 {
            quiet.signal()
            try await BoundedWait.until("the read of signal \(signals)") { store.calls.count >= signals }
            try await BoundedWait.until("no more reads") { await isQuiet(store) }
            #expect(store.calls.map(\.operation) == Array(repeating: .read, count: signals))
        }
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
    private func isQuiet(_ store: RecordingSecretStore<QuietStore>) async -> Bool {
        let before = store.calls.count
        for _ in 0..<200 { await Task.yield() }
        return store.calls.count == before
    }
}
