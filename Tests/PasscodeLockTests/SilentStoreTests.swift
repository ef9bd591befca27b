import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("A lock whose store tells late", .timeLimit(.minutes(5)))
struct SilentStoreTests {
    @Test("P-20: locking by hand locks with a passcode that the store has not told of yet")
    func lock() async throws {
        let bench = Bench()
        let service = try bench.service(store: SilentStore(base: InMemorySecretStore(bench.storage)))
        let session = LockSession(service: service)
        await session.launch()
        await session.lock()
        #expect(await !session.state.isLocked, "there is nothing to lock with")
        _ = try await bench.service().set(SecretBytes("834912"))
        await session.lock()
        #expect(await session.state.isLocked)
    }

    @Test("P-22: locking by hand before the start leaves what was written down to the start")
    func lockBeforeLaunch() async throws {
        let bench = Bench()
        _ = try await bench.service().set(SecretBytes("834912"))
        let before = try await bench.record()?.version
        let session = LockSession(service: try bench.service())
        await session.lock()
        #expect(try await bench.record()?.version == before)
        await session.launch()
        #expect(await session.state.isLocked)
    }
}

/// A store that signals nothing, as one does whose signal is still on its way.
private struct SilentStore<Base: SecretStore>: SecretStore {
    let base: Base

    var capabilities: SecretStoreCapabilities { base.capabilities }
    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        try await base.read(name)
    }
    func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        try await base.write(value, to: name, accessibility: accessibility, if: precondition)
    }
    func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome { try await base.remove(name, if: precondition) }
    func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        try await base.names(in: namespace)
    }
    func changes(in namespace: SecretNamespace) -> AsyncStream<Void> { AsyncStream { _ in } }
}
