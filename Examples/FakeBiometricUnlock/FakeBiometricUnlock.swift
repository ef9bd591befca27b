import ArgumentParser
import FakeBiometrics
import GcryptKeystore
import LineConversation
import LockScreens
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import SystemClock

/// A locked app with a fingerprint reader, for which the arguments say what happens.
@main
struct FakeBiometricUnlock: AsyncParsableCommand {
    /// Who is enrolled at the reader once the app is locked.
    enum Enrolled: String, ExpressibleByArgument {
        case owner, nobody
        /// Another finger was added after biometrics had been chosen.
        case another
    }

    static let configuration = CommandConfiguration(
        commandName: "fake-biometric-unlock",
        abstract: "A locked app with a fingerprint reader that is told what happens. The passcode is 834912."
    )

    @Argument(help: "What happens at the reader, prompt after prompt; then nobody comes.")
    var outcomes: [Outcome] = []

    @Option(help: "Who is enrolled: owner, nobody, or another beside the owner.")
    var enrolled = Enrolled.owner

    @MainActor
    func run() async throws {
        let clock = SystemClock()
        let fake = FakeBiometrics(clock: clock)
        let reader = ToldReader(fake, outcomes)
        let service = try PasscodeService(
            user: .device,
            backends: Backends(
                secrets: InMemorySecretStore(),
                biometrics: reader,
                sealer: GcryptPasscodeSealer(),
                clock: clock
            ),
            session: InMemorySession(.device),
            configuration: PasscodeConfiguration(appName: "Ledger", launch: .always)
        )
        let passcode = SecretBytes(copying: "834912".utf8)
        try await service.set(passcode)
        _ = try await service.enableBiometrics(passcode)

        // The person has left. The changes below happen to a locked app.
        switch enrolled {
        case .owner: break
        case .nobody: fake.changeEnrolment(to: [])
        case .another: fake.changeEnrolment(to: ["owner", "another"])
        }
        let lock = AppLock(session: LockSession(service: service))
        await lock.start()
        await LineConversation().show {
            lock.lockScreen
        } whileCovered: {
            reader.isInFront(of: lock.lockScreen?.content)
        }
        print(lock.cover == .none ? "Unlocked." : "Still locked.")
    }
}
