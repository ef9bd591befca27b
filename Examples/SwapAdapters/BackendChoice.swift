internal import ArgumentParser
internal import FakeBiometrics
internal import GcryptKeystore
internal import PortcullisCore
internal import PortcullisTesting
internal import SystemClock

/// The back ends that the app can be started with. Nothing else in the app differs between them.
enum BackendChoice: String, CaseIterable, ExpressibleByArgument {
    case memory, linux

    func backends(in folder: String) async throws -> Backends {
        switch self {
        case .memory:
            let clock = ManualClock()
            let finger = FakeBiometrics(clock: clock)
            // In a demonstration, every touch of the reader matches.
            for _ in 0..<100 { finger.script(.success) }
            return Backends(
                secrets: InMemorySecretStore(),
                biometrics: finger,
                sealer: FastPasscodeSealer(),
                clock: clock
            )
        case .linux:
            let store = try await GcryptKeystore.open(
                KeystoreConfiguration(
                    path: "\(folder)/diary.keystore",
                    credential: .keyFile("\(folder)/diary.key")
                )
            )
            // There is no reader, so the member for biometrics is left out.
            return Backends(secrets: store, sealer: GcryptPasscodeSealer(), clock: SystemClock())
        }
    }
}
