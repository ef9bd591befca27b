import GcryptKeystore
import LineConversation
import PasscodeLock
import PortcullisCore
import SystemClock

/// An app behind a passcode.
@main
@MainActor
struct Hello {
    static func main() async throws {
        let store = try await GcryptKeystore.open(
            KeystoreConfiguration(path: "hello.data/keystore", credential: .keyFile("hello.data/key"))
        )
        let service = try PasscodeService(
            user: .device,
            backends: Backends(secrets: store, sealer: GcryptPasscodeSealer(), clock: SystemClock()),
            session: FixedSession(),
            configuration: PasscodeConfiguration(appName: "Hello", launch: .always)
        )
        let lock = AppLock(session: LockSession(service: service))
        await lock.start()

        let person = LineConversation()
        let status = try await service.status()
        if !status.isSet {
            let sheet = Sheet<SetPasscodeScreen>()
            sheet.screen = ScreenEffects(service: service)
                .setPasscode(.create, status: status) { _ in sheet.screen = nil }
            await person.show { sheet.screen }
            await lock.lock()
        }
        await person.show { lock.lockScreen }
        print(lock.cover == .none ? "Hello, and welcome." : "Still locked.")
    }
}
