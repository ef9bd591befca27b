import AdapterKit
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@testable import PasscodeLock

#if canImport(Glibc)
import Glibc

@Suite("Acts and their actors (P-24)")
struct SealsOfActTests {
    /// An actor with a thread of its own, as `guard` has one.
    private actor Host {
        private let executor: ThreadExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

        init() throws { executor = try ThreadExecutor() }

        /// The threads of the host, of an act and of what the act calls.
        func threads() async throws -> [UInt] {
            var threads = [UInt(pthread_self())]
            try await SealsOfAct.during(SealsOfAct()) { () throws(PasscodeError) in
                threads.append(UInt(pthread_self()))
                await Task.yield()
                threads.append(UInt(pthread_self()))
            }
            return threads
        }

        /// The threads of the host, and of an authenticator that forgets its key at a log-out.
        func threads(loggingOut service: PasscodeService, of reader: Reader) async throws -> [UInt] {
            let own = UInt(pthread_self())
            try await service.logOut()
            return [own] + reader.threads
        }
    }

    /// An authenticator that keeps the threads on which it was called to forget its key.
    private final class Reader: BiometricAuthenticator {
        private let called = Mutex<[UInt]>([])

        var threads: [UInt] { called.withLock { $0 } }

        func availability(for user: UserID) async -> BiometricAvailability { .none }

        func enroll(_ key: SecretBytes, for user: UserID) async throws(BiometricError) {}

        func authenticate(
            user: UserID,
            reason: String,
            fallbackTitle: String,
            hint: @escaping @Sendable (BiometricHint) -> Void
        ) async -> BiometricOutcome { .notAvailable }

        func forget(_ user: UserID) async throws(BiometricError) {
            called.withLock { $0.append(UInt(pthread_self())) }
        }
    }

    @Test("P-24: an act runs on the thread of the actor that carries it out, not in Swift's pool")
    func staysOnItsActor() async throws {
        let threads = try await Host().threads()
        #expect(Set(threads).count == 1)
    }

    @Test("P-24: an authenticator forgets its key on the thread of the actor that waits for it")
    func forgetsOnItsActor() async throws {
        let reader = Reader()
        let service = try PasscodeService(
            user: .ada,
            backends: Backends(
                secrets: InMemorySecretStore(),
                biometrics: reader,
                sealer: FastPasscodeSealer(),
                clock: ManualClock()
            ),
            session: FixedSession(nil),
            configuration: PasscodeConfiguration(appName: "Ledger")
        )
        let threads = try await Host().threads(loggingOut: service, of: reader)
        #expect(threads.count == 2 && Set(threads).count == 1)
    }
}
#endif
