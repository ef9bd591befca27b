internal import ArgumentParser
internal import PortcullisCore
internal import TerminalHost

/// The source of a recovery passphrase. The passphrase opens a sealed store when the passcode is forgotten.
/// It also lets a new passcode replace a passcode that the TPM refuses.
struct RecoveryOptions: ParsableArguments {
    @Option(
        help:
            "The recovery passphrase, in the first line of this file; - is standard input. (default: asked for)",
        completion: NameCompletion.file
    )
    var recoveryPassphraseFile: String?

    /// Reads an existing recovery passphrase, from the given file or at a prompt.
    func passphrase(_ store: StoreOptions) async throws -> SecretBytes {
        if let recoveryPassphraseFile { return try await store.passphrase(in: recoveryPassphraseFile) }
        let passphrase = try await SecretInput().line(prompt: "Recovery passphrase")
        guard passphrase.count > 0 else { throw Self.isEmpty }
        return passphrase
    }

    private static let isEmpty = ToolFailure("the recovery passphrase is empty", .usage)

    /// Reads a new recovery passphrase, under which a store will be sealed. A prompt asks for it twice.
    func newPassphrase(_ store: StoreOptions) async throws -> SecretBytes {
        let prompt = "Recovery passphrase"
        if let recoveryPassphraseFile {
            return try await store.passphrase(in: recoveryPassphraseFile, prompt: prompt, isNew: true)
        }
        let input = SecretInput()
        guard input.isTerminal else {
            throw ToolFailure(
                "sealing needs a recovery passphrase: name a file that holds it with --recovery-passphrase-file",
                .usage
            )
        }
        StandardError.write(
            "The store will be sealed. If the passcode is forgotten, nothing but a recovery passphrase opens it."
        )
        let passphrase = try await input.newLine(prompt: prompt)
        guard passphrase.count > 0 else { throw Self.isEmpty }
        StoreOptions.warn(ofShort: passphrase, named: prompt)
        return passphrase
    }
}
