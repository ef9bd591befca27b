internal import AdapterKit
internal import ArgumentParser
internal import GcryptKeystore
internal import PortcullisCore
internal import TPM
internal import TerminalHost

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The options of every command that opens the store: its file and its credential.
struct StoreOptions: ParsableArguments {
    @Option(help: "The store's file. (default: \(StorePlaces.shownStore))", completion: NameCompletion.file)
    var store: String?
    @Option(
        help: "The key file, made together with a new store. (default: \(StorePlaces.shownKeyFile))",
        completion: NameCompletion.file
    )
    var keyFile: String?
    @Option(
        help: "Open with the passphrase in the first line of this file; - is standard input.",
        completion: NameCompletion.file
    )
    var passphraseFile: String?
    @Option(
        help: """
            A second file that witnesses how far the store got: an older store is then an error. tpm:auto or tpm:TCTI keeps a \
            counter in a TPM besides, and the file beside the store.
            """,
        completion: NameCompletion.file
    )
    var anchor: String?
    @Option(
        help: """
            A TPM: auto for this machine's, or a TCTI such as swtpm:port=2321. It opens a store that has a slot in it, and \
            takes the place of the one that a passcode's record names; a record names only TPMs of this machine.
            """
    )
    var tpm: ChipArgument?
    @Option(help: "How long to wait while another process writes.")
    var busyTimeout = DurationArgument(.seconds(10))
    /// The value of `--lock-timeout`, the earlier name of `--busy-timeout`. If both options are given,
    /// `--lock-timeout` applies.
    @Option(help: .hidden)
    var lockTimeout: DurationArgument?

    func validate() throws {
        if keyFile != nil, passphraseFile != nil {
            throw ValidationError("--key-file and --passphrase-file exclude each other")
        }
    }

    /// Reads the store's credential. With `--passphrase-file -` the passphrase is the first line of standard
    /// input. So the caller must call this method before it reads any other input.
    ///
    /// - Parameter createsIfMissing: whether the command makes a missing store. Its passphrase is new.
    func credential(createsIfMissing: Bool = false) async throws -> KeystoreCredential {
        if let passphraseFile {
            let isNew = try createsIfMissing && !FileManager.default.fileExists(atPath: path())
            return .passphrase(try await passphrase(in: passphraseFile, isNew: isNew))
        }
        if let tpm, keyFile == nil {
            let (store, files) = (try path(), FileManager.default)
            // A protected key that was left by an earlier store must not become a new store's only key.
            if files.fileExists(atPath: store),
                files.fileExists(atPath: GcryptKeystore.protectedKeyPath(of: store))
            {
                return try await .protectedKey(of: store, by: TPMKeyProtector(tpm.address))
            }
        }
        return .keyFile(try keyFile ?? StorePlaces.keyFile(Arguments.environment))
    }

    /// The path of the store's file.
    func path() throws(ToolFailure) -> String {
        if let store { return store }
        return try StorePlaces.store(Arguments.environment)
    }

    /// The configuration of the store: its path, credential, anchor and timeout.
    func configuration(
        with credential: KeystoreCredential,
        createsIfMissing: Bool
    ) throws -> KeystoreConfiguration {
        var configuration = KeystoreConfiguration(
            path: try path(),
            credential: credential,
            createsIfMissing: createsIfMissing,
            anchorPath: anchor,
            lockTimeout: (lockTimeout ?? busyTimeout).duration
        )
        guard let anchor, anchor.hasPrefix("tpm:") else { return configuration }
        guard let address = TPMAddress(String(anchor.dropFirst(4))) else {
            throw ToolFailure("\(anchor) names no TPM", .usage)
        }
        let records = FileAnchor(path: "\(configuration.path).anchor")
        configuration.anchorPath = nil
        configuration.anchor = TPMAnchor(address, records: records)
        return configuration
    }

    /// Opens the store. A missing store is created if the caller allows it.
    func open(
        with credential: KeystoreCredential,
        createsIfMissing: Bool,
        worker: WorkerThread? = nil
    ) async throws -> GcryptKeystore {
        let configuration = try configuration(with: credential, createsIfMissing: createsIfMissing)
        let keystore = try await GcryptKeystore.open(configuration, worker: worker)
        OpenStores.current?.add(keystore)
        if !SecretHeap.isLocked {
            StandardError.warn("memory for secrets cannot be locked (ulimit -l) and may reach swap")
        }
        return keystore
    }

    /// Reads a passphrase from the first line of a file, or of standard input (`-`).
    ///
    /// - Parameters:
    ///   - prompt: the text of the hidden prompt, which is shown if the input is a terminal.
    ///   - isNew: whether the passphrase is new. A hidden prompt then asks for it twice.
    ///   - warns: whether the tool warns of a short new passphrase.
    func passphrase(
        in path: String,
        prompt: String = "Passphrase",
        isNew: Bool = false,
        warns: Bool = true
    ) async throws -> SecretBytes {
        let passphrase: SecretBytes
        do throws(TerminalHostError) {
            let input = try SecretInput(path: path)
            passphrase = try await isNew ? input.newLine(prompt: prompt) : input.line(prompt: prompt)
        } catch {
            var failure = ToolFailure(error)
            if path != "-" { failure.message = "\(path): \(failure.message)" }
            throw failure
        }
        guard passphrase.count > 0 else {
            throw ToolFailure("\(path == "-" ? "standard input" : path): the passphrase is empty", .usage)
        }
        if isNew, warns { Self.warn(ofShort: passphrase, named: prompt) }
        return passphrase
    }

    /// The smallest length for which no warning is written, in bytes. A short passphrase is a risk: if an
    /// attacker has a copy of the file, only the key derivation slows down guessing.
    private static let shortestPassphrase = 12

    /// Warns if a new passphrase is shorter than ``shortestPassphrase``.
    static func warn(ofShort passphrase: SecretBytes, named name: String) {
        guard passphrase.count < shortestPassphrase else { return }
        StandardError.warn("this \(name.withinSentence) is short, and easily guessed")
    }
}

extension SecretInput {
    /// Reads a new secret as ``newLine(prompt:differ:)`` does, with the tool's message for two entries that
    /// differ.
    func newLine(prompt: String) async throws(TerminalHostError) -> SecretBytes {
        try await newLine(prompt: prompt) {
            StandardError.write("portcullis: the two entries differ; try again")
        }
    }
}
