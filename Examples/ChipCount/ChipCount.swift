import GcryptKeystore
import PasscodeLock
import PortcullisCore
import SystemClock
import TPM

/// A passcode whose wrong tries the machine's TPM counts. The first line sets it, each other line tries it.
@main
struct ChipCount {
    static func main() async throws {
        guard CommandLine.arguments.count == 2, let chip = TPMAddress(CommandLine.arguments[1]) else {
            return print("usage: chip-count auto|TCTI")
        }
        let service = try await service(in: chip)
        do {
            if try await !service.status().isSet, let passcode = line() {
                try await service.set(passcode)
                print("The passcode is set.")
            }
            while let passcode = line() { print(try await answer(to: passcode, service)) }
        } catch let error as PasscodeError {
            print(PasscodeStrings.english.text(error))
        }
    }

    /// The service on a store of the app's own, with a passcode that is sealed in the chip.
    static func service(in chip: TPMAddress) async throws -> PasscodeService {
        let store = try await GcryptKeystore.open(
            KeystoreConfiguration(path: "chip.data/keystore", credential: .keyFile("chip.data/key"))
        )
        let configuration = TPMConfiguration(
            address: chip,
            scope: store.id,
            lockPath: "chip.data/keystore.tpm-lock",
            limit: 3,
            recovery: .passphrase(SecretBytes(copying: Array("gravel umbrella seventeen".utf8)))
        )
        return try PasscodeService(
            user: .device,
            backends: Backends(
                secrets: store,
                sealer: TPMPasscodeSealer(configuration),
                clock: SystemClock()
            ),
            session: FixedSession(),
            configuration: PasscodeConfiguration(appName: "ChipCount", throttle: .unlimited)
        )
    }

    /// Tries a passcode. If the line is `recover`, the next line is the passphrase, and the line after it the
    /// new passcode.
    static func answer(to passcode: SecretBytes, _ service: PasscodeService) async throws -> String {
        if passcode.matches(SecretBytes(copying: Array("recover".utf8))) {
            guard let passphrase = line(), let new = line() else {
                return "A passphrase, and a new passcode."
            }
            guard case .recovered = try await service.recover(with: passphrase, to: new) else {
                return "That is not the passphrase."
            }
            return "Another passcode is set."
        }
        switch try await service.verify(passcode) {
        case .right: return "Right."
        case .triesExhausted: return "The chip tries none any more."
        default:
            let count = try await service.hardwareCount()
            return "Wrong: \(count?.failures ?? 0) of \(count?.limit ?? 0)."
        }
    }

    static func line() -> SecretBytes? { readLine().map { SecretBytes(copying: Array($0.utf8)) } }
}
