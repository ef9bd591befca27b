internal import ArgumentParser
internal import PortcullisCore

/// Where the passphrase comes from that opens a sealed store when its passcode is forgotten.
struct RecoveryOptions: ParsableArguments {
    /// A shorter one is pointed out: a person who has the file can try passphrases with no delay but the
    /// derivation's.
    private static let shortest = 12

    @Option(
        help:
            "The recovery passphrase, in the first line of this file; - is standard input. (default: asked for)"
    )
    var recoveryPassphraseFile: String?

    /// The passphrase of a store that is sealed.
    func passphrase(_ store: StoreOptions) async throws -> SecretBytes {
        if let recoveryPassphraseFile { return try await store.passphrase(in: recoveryPassphraseFile) }
        let passphrase = try await SecretInput().line(prompt: "Recovery passphrase")
        guard passphrase.count > 0 else { throw Self.isEmpty }
        return passphrase
    }

    private static let isEmpty = ToolFailure("the recovery passphrase is empty", .usage)

    /// A passphrase to seal a store under; at a prompt it is asked for twice.
    func newPassphrase(_ store: StoreOptions) async throws -> SecretBytes {
        let passphrase: SecretBytes
        if let recoveryPassphraseFile {
            passphrase = try await store.passphrase(
                in: recoveryPassphraseFile,
                prompt: "Recovery passphrase",
                isNew: true
            )
        } else {
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
            passphrase = try await input.newLine(prompt: "Recovery passphrase")
            guard passphrase.count > 0 else { throw Self.isEmpty }
        }
        if passphrase.count < Self.shortest {
            StandardError.write("portcullis: warning: this recovery passphrase is short, and easily guessed")
        }
        return passphrase
    }
}
