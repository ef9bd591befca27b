import AdapterKit
import GcryptKeystore
import PortcullisCore
import SystemClock
import TPM

/// What TPM's documentation shows.
func tpmGuide(_ configuration: KeystoreConfiguration, _ passphrase: SecretBytes) async throws -> Backends {
    let store = try await GcryptKeystore.open(configuration)
    let chip = TPMConfiguration(
        scope: store.id,
        lockPath: "\(configuration.path).tpm-lock",
        recovery: .passphrase(passphrase)
    )
    let sealer = SealerByAlgorithm(
        TPMPasscodeSealer(chip),
        for: TPMPasscodeSealer.algorithm,
        others: [GcryptPasscodeSealer.algorithm: GcryptPasscodeSealer()]
    )
    let backends = Backends(secrets: store, sealer: sealer, clock: SystemClock())
    return backends
}

func tpmSlotGuide(
    _ store: GcryptKeystore,
    _ configuration: KeystoreConfiguration
) async throws -> GcryptKeystore {
    let chip = TPMKeyProtector()
    try await store.addSlot(protectedBy: chip)
    let credential = try await KeystoreCredential.protectedKey(of: configuration.path, by: chip)
    let opened = try await GcryptKeystore.open(
        KeystoreConfiguration(path: configuration.path, credential: credential, createsIfMissing: false)
    )
    return opened
}
