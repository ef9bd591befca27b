import PasscodeLock
import PortcullisCore
import PortcullisTesting

/// A person's devices and the account that they share.
struct AccountBench {
    let clock = ManualClock()
    let server: InMemoryAccountServer

    init() { server = InMemoryAccountServer(clock: clock) }

    func device() -> Device { Device(server, clock) }

    /// One device: what it stores outlives the processes on it.
    struct Device {
        let storage: InMemorySecretStore.Storage
        let line: InMemoryPasscodeAccount
        let biometrics = ScriptedBiometrics()
        let host = Host()
        let clock: ManualClock
        var sealer: any PasscodeSealer = FastPasscodeSealer()
        var configuration = PasscodeConfiguration(appName: "Ledger", timeout: .accountPreset)

        init(_ server: InMemoryAccountServer, _ clock: ManualClock) {
            storage = InMemorySecretStore.Storage()
            line = InMemoryPasscodeAccount(server)
            self.clock = clock
        }

        /// The same device as another process sees it.
        init(sharing device: Device, line: InMemoryPasscodeAccount) {
            storage = device.storage
            self.line = line
            clock = device.clock
        }

        /// Whether nothing of a passcode is stored.
        var isEmpty: Bool {
            get async throws {
                try await InMemorySecretStore(storage).names(in: PasscodeNames.records).isEmpty
            }
        }

        /// A service as a new process would have it.
        func service(
            _ user: UserID = .ada,
            store: (any SecretStore)? = nil,
            hasAccount: Bool = true
        ) throws -> PasscodeService {
            try PasscodeService(
                user: user,
                backends: Backends(
                    secrets: store ?? InMemorySecretStore(storage),
                    biometrics: biometrics,
                    sealer: sealer,
                    clock: clock
                ),
                session: host,
                configuration: configuration,
                account: hasAccount ? line : nil
            )
        }
    }
}

extension SecretBytes {
    static let first = SecretBytes("834912")
    static let second = SecretBytes("270954")
    static let third = SecretBytes("619375")
}

extension PasscodeError {
    /// What the account said.
    var account: PasscodeAccountError.Code? { (cause as? PasscodeAccountError)?.code }
}
