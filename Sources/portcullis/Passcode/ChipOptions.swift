internal import AdapterKit
internal import ArgumentParser
internal import GcryptKeystore
internal import PortcullisCore
internal import TPM
internal import TerminalHost

/// The address of a TPM on the command line: `auto`, or an address such as `device:/dev/tpmrm0` (TCTI).
struct ChipArgument: ExpressibleByArgument {
    let address: TPMAddress

    init?(argument: String) {
        guard let address = TPMAddress(argument) else { return nil }
        self.address = address
    }

    static var allValueStrings: [String] { ["auto"] }
}

/// The options for sealing a passcode in a TPM.
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

    /// Refuses options for sealing in a TPM if `--tpm` is missing, or if no passcode moves into the TPM.
    func demand(_ store: StoreOptions, isInChip: Bool = false) throws {
        guard tpmLimit != nil || noRecovery || recovery.recoveryPassphraseFile != nil else { return }
        let options = "--tpm-limit, --recovery-passphrase-file and --no-recovery"
        if store.tpm == nil { throw ToolFailure("\(options) go with --tpm", .usage) }
        if isInChip { throw ToolFailure("\(options) need a passcode to move into the TPM", .usage) }
    }

    /// Reads a new recovery passphrase from its file or from the terminal; `none` with `--no-recovery`. The
    /// passphrase opens the key after the TPM has reached its limit of wrong passcodes.
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
                switch weakness {
                case .tooShort: "has fewer than \(RecoveryPassphrase.shortest) characters"
                case .easilyGuessed: "is easily guessed"
                case .unusable: "has more than 1,024 bytes, or is no text"
                }
            guard recovery.recoveryPassphraseFile == nil else {
                throw ToolFailure("the recovery passphrase \(reason)", .usage)
            }
            StandardError.write("portcullis: the recovery passphrase \(reason)")
        }
    }
}

extension StoreOptions {
    /// Makes the sealer for new passcodes. The sealer also opens the keys of all existing passcodes, whether
    /// they are sealed in a TPM or in software.
    ///
    /// - Parameters:
    ///   - chip: the TPM to use instead of the TPM that a passcode's record names; `nil` to use the TPM of
    ///     the record.
    ///   - new: the configuration for sealing new passcodes in the TPM; `nil` to seal them without a TPM.
    ///   - software: the sealer without a TPM.
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
