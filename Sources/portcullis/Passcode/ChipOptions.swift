internal import AdapterKit
internal import ArgumentParser
internal import GcryptKeystore
internal import PortcullisCore
internal import TPM
internal import TerminalHost

/// A TPM as one types it: `auto`, or a TCTI.
struct ChipArgument: ExpressibleByArgument {
    let address: TPMAddress

    init?(argument: String) {
        guard let address = TPMAddress(argument) else { return nil }
        self.address = address
    }

    static var allValueStrings: [String] { ["auto"] }
}

/// How a passcode is put into a TPM.
struct NewSealOptions: ParsableArguments {
    @Option(help: "After how many wrong passcodes in a row the TPM refuses all of them. (default: 100)")
    var tpmLimit: Int?
    @OptionGroup var recovery: RecoveryOptions
    @Flag(help: "Have no recovery passphrase: at its limit the TPM then refuses the passcode for good.")
    var noRecovery = false

    func validate() throws {
        if let tpmLimit, !(1...1_000_000).contains(tpmLimit) {
            throw ValidationError("--tpm-limit is 1 to 1,000,000")
        }
        if noRecovery, recovery.recoveryPassphraseFile != nil {
            throw ValidationError("--no-recovery and --recovery-passphrase-file exclude each other")
        }
    }

    /// Refuses what says how a passcode is put into a TPM where none is.
    func demand(_ store: StoreOptions) throws {
        guard store.tpm == nil, tpmLimit != nil || noRecovery || recovery.recoveryPassphraseFile != nil else {
            return
        }
        throw ToolFailure("--tpm-limit, --recovery-passphrase-file and --no-recovery go with --tpm", .usage)
    }

    /// What is to open the key at the TPM's limit, asked for on a terminal.
    func recovery(_ store: StoreOptions, _ input: SecretInput) async throws -> TPMRecovery {
        if noRecovery { return .none }
        guard input.isTerminal || recovery.recoveryPassphraseFile != nil else {
            throw ToolFailure(
                "name a file with a recovery passphrase with --recovery-passphrase-file, or have none with --no-recovery",
                .usage
            )
        }
        while true {
            let passphrase =
                if let file = recovery.recoveryPassphraseFile {
                    try await store.passphrase(
                        in: file,
                        prompt: "Recovery passphrase",
                        isNew: true,
                        warns: false
                    )
                } else {
                    try await input.newLine(
                        prompt: "Recovery passphrase, for when the TPM refuses the passcode"
                    )
                }
            guard let weakness = RecoveryPassphrase.weakness(of: passphrase) else {
                return .passphrase(passphrase)
            }
            let reason =
                weakness == .tooShort
                ? "has fewer than \(RecoveryPassphrase.shortest) characters" : "is easily guessed, or no text"
            guard recovery.recoveryPassphraseFile == nil else {
                throw ToolFailure("the recovery passphrase \(reason)", .usage)
            }
            StandardError.write("portcullis: the recovery passphrase \(reason)")
        }
    }
}

extension StoreOptions {
    /// What opens each passcode, wherever its key is, and where a new one is sealed.
    ///
    /// - Parameters:
    ///   - chip: the TPM to ask in the place of the one that a record names.
    ///   - new: how a passcode is put into the TPM; `nil`: new ones are sealed without one.
    ///   - software: seals without a TPM.
    func sealer(
        on keystore: GcryptKeystore,
        chip: TPMAddress?,
        new: TPMConfiguration? = nil,
        software: GcryptPasscodeSealer = GcryptPasscodeSealer()
    ) throws -> SealerByAlgorithm {
        var configuration = new ?? TPMConfiguration(scope: keystore.id)
        configuration.address = chip
        configuration.scope = keystore.id
        configuration.lockPath = "\(try path()).tpm-lock"
        let inChip = TPMPasscodeSealer(configuration)
        let (one, other) = (TPMPasscodeSealer.algorithm, GcryptPasscodeSealer.algorithm)
        return new == nil
            ? SealerByAlgorithm(software, for: other, others: [one: inChip])
            : SealerByAlgorithm(inChip, for: one, others: [other: software], moves: true)
    }
}
