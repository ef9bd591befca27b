import FakeBiometrics
import LockScreens
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

/// SPEC 1.7, device-local: the scenarios with biometrics.
@MainActor
@Suite("Scenarios with biometrics (SPEC 1.7)", .timeLimit(.minutes(5)))
struct BiometricScenarios {
    private func app(_ biometrics: FakeBiometrics) async throws -> App {
        let app = try App(biometrics: biometrics)
        try await app.service.set(SecretBytes("834912"))
        await app.launch()
        return app
    }

    @Test(
        "P-32: biometric prompt by itself, and biometric success unlocks",
        arguments: [BiometricBinding.key, .assertion]
    )
    func biometricSuccess(_ binding: BiometricBinding) async throws {
        let biometrics = FakeBiometrics(kind: .faceID, binding: binding, clock: ManualClock())
        let app = try await app(biometrics)
        _ = try await app.service.enableBiometrics(SecretBytes("834912"))
        await app.leave(for: .seconds(10))
        try await app.settle("a prompt by itself") { biometrics.isPrompting }
        #expect(app.isLocked)
        biometrics.answer(.success)
        try await app.settle("unlocked") { !app.isLocked }
        #expect(app.covers.contains(.lockScreen))
    }

    @Test("P-12, P-32: biometric cancel then passcode")
    func biometricCancelThenPasscode() async throws {
        let biometrics = FakeBiometrics(kind: .faceID, clock: ManualClock())
        let app = try await app(biometrics)
        _ = try await app.service.enableBiometrics(SecretBytes("834912"))
        // On a busy machine the lock screen may ask once on leaving and once more on return.
        biometrics.script(.cancel(by: .user), .cancel(by: .user), .cancel(by: .user))
        await app.leave(for: .seconds(10))
        try await app.settle("the prompt came and went") {
            let isOffered = app.content?.controls.first { $0.id == .biometrics }?.isEnabled == true
            return !biometrics.prompts.isEmpty && isOffered
        }
        #expect(app.content?.message == nil)
        try await app.enter("834912")
        try await app.settle("unlocked") { !app.isLocked }
    }

    @Test("P-10: biometric kinds")
    func kinds() async throws {
        for (kind, name, symbol) in [
            (BiometricKind.touchID, "Touch ID", "touchid"), (.faceID, "Face ID", "faceid"),
            (.none, "Biometric", "lock"),
        ] {
            let app = try await app(FakeBiometrics(kind: kind, clock: ManualClock()))
            let offer = try await app.service.biometrics()
            #expect(offer.kind.displayName == name)
            #expect(offer.kind.symbolName == symbol)
        }
    }

    @Test("P-11: enable biometric persists")
    func enablePersists() async throws {
        let app = try await app(FakeBiometrics(kind: .touchID, clock: ManualClock()))
        _ = try await app.service.enableBiometrics(SecretBytes("834912"))
        try await app.relaunch()
        #expect(try await app.service.biometrics().isEnabled)
    }

    @Test("P-14: a prompt that outlives its lock screen unlocks nothing")
    func promptOutlives() async throws {
        let biometrics = FakeBiometrics(kind: .faceID, clock: ManualClock())
        let app = try await app(biometrics)
        _ = try await app.service.enableBiometrics(SecretBytes("834912"))
        await app.leave(for: .seconds(10))
        try await app.settle("a prompt") { biometrics.isPrompting }
        await app.lock.phaseChanged(to: .background)
        biometrics.answer(.success)
        await app.lock.phaseChanged(to: .active)
        try await app.settle("another prompt on return") { biometrics.isPrompting }
        #expect(app.isLocked, "the first one was cancelled with its screen")
        biometrics.answer(.success)
        try await app.settle("unlocked") { !app.isLocked }
    }
}
