import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("A lock whose store can be read but not written", .timeLimit(.minutes(2)))
struct UnwritableStoreTests {
    @Test(
        "P-5, P-7: the start ends, locked, where the time served cannot be noted",
        arguments: [true, false]
    )
    func note(isSilent: Bool) async throws {
        let bench = Bench()
        _ = try await bench.service().set(SecretBytes("834912"))
        for _ in 1...6 {
            _ = try await bench.service().verify(SecretBytes("111112"))
            await bench.clock.advance(by: .seconds(60))
        }
        await bench.clock.advance(by: .seconds(90))
        if isSilent {
            try await launch(bench, over: QuietStore(bench.storage))
        } else {
            try await launch(bench, over: InMemorySecretStore(bench.storage))
        }
    }

    private func launch(_ bench: Bench, over base: some SecretStore) async throws {
        let store = FailingSecretStore(base)
        let full = SecretStoreError(code: .diskFull, message: "no space")
        // More than a launch has reason to try; a read that is made again after each of them finds a store that works.
        for _ in 1...100 { store.failNext(.write, with: full) }
        let session = LockSession(service: try bench.service(store: store))
        await session.launch()
        #expect(await session.state.isLocked)
        #expect(await session.failure?.cause is SecretStoreError)
    }
}
