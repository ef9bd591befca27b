import PortcullisCore
import PortcullisTesting
import Testing

@testable import PasscodeLock

@Suite("A key that is enrolled late (P-13)", .timeLimit(.minutes(5)))
struct LateEnrolmentTests {
    /// A store that writes nothing in a cancelled task, as an app's own store may.
    private struct CancellableStore: ForwardingSecretStore {
        let base: any SecretStore

        func write(
            _ value: SecretBytes,
            to name: SecretName,
            accessibility: Accessibility,
            if precondition: WritePrecondition
        ) async throws(SecretStoreError) -> WriteOutcome {
            if Task.isCancelled { throw SecretStoreError(code: .unavailable, message: "cancelled") }
            return try await base.write(value, to: name, accessibility: accessibility, if: precondition)
        }
    }

    @Test("P-13: a key that is enrolled after the wait for the reader has ended is used all the same")
    func stored() async throws {
        let bench = Bench()
        let right = SecretBytes("834912")
        let store = CancellableStore(base: InMemorySecretStore(bench.storage))
        let service = try bench.service(store: store)
        try await service.set(right)
        _ = try await service.enableBiometrics(right)
        await bench.biometrics.set { $0.enrolmentDigest = [2] }
        let touch = Gate()
        touch.close()
        // The cancellation ends the wait at the gate, and then the key is enrolled.
        await bench.biometrics.onNextEnrolment { _ = await touch.pass() }
        let verifying = Task { try await service.verify(right) }
        await touch.waitForHeld(1)
        await bench.clock.waitForSleepers(1)
        await bench.clock.advance(by: .seconds(5))
        #expect(try await verifying.value.isRight)
        try await BoundedWait.until("the key to be stored") { try await service.biometrics().isUsable }
    }
}
