import LockScreens
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

/// A keychain, or a server, answers a read some milliseconds later.
@Suite("P-24: a store whose reads take time", .timeLimit(.minutes(2)))
@MainActor
struct SlowReadTests {
    private struct SlowStore: ForwardingSecretStore {
        let base: any SecretStore = InMemorySecretStore()
        let capabilities: SecretStoreCapabilities

        func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
            let found = try await base.read(name)
            // Real time, as a keychain takes it: what comes first is the point.
            try? await Task.sleep(for: .milliseconds(3))
            return found
        }

        func changes(in namespace: SecretNamespace) -> AsyncStream<Void> {
            capabilities.contains(.signalsOwnChanges)
                ? base.changes(in: namespace) : AsyncStream { $0.finish() }
        }
    }

    @Test(
        "P-24: what a right passcode opened stays open, also where each absence locks",
        arguments: [SecretStoreCapabilities(), .isShared, .signalsOwnChanges]
    )
    func staysOpen(_ capabilities: SecretStoreCapabilities) async throws {
        let service = try PasscodeService(
            user: .device,
            backends: Backends(
                secrets: SlowStore(capabilities: capabilities),
                sealer: FastPasscodeSealer(),
                clock: ManualClock()
            ),
            session: InMemorySession(),
            configuration: PasscodeConfiguration(appName: "Ledger", timeout: .immediately)
        )
        try await service.set(SecretBytes(copying: "834912".utf8))
        let lock = AppLock(session: LockSession(service: service))
        await lock.start()
        for round in 0..<5 {
            await lock.lock()
            try await BoundedWait.until(every: .milliseconds(1)) {
                lock.lockScreen?.content.pad?.isEnabled == true
            }
            for digit in [8, 3, 4, 9, 1, 2] { lock.lockScreen?.send(.digit(digit)) }
            try await BoundedWait.until(every: .milliseconds(1)) { lock.cover == .none }
            // Real time: that it locks no more is the point.
            try await Task.sleep(for: .milliseconds(60))
            #expect(lock.cover == .none, "round \(round)")
        }
    }
}
