internal import ArgumentParser
internal import GcryptKeystore
internal import PortcullisCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The options for a backup's passphrase.
struct BackupOptions: ParsableArguments {
    @Option(
        help: "A file with the backup's passphrase in its first line; - is standard input.",
        completion: NameCompletion.file
    )
    var backupPassphraseFile = "-"
    @Flag(help: "Answer in JSON.") var json = false

    /// Reads the passphrase of a backup. `isNew` is `true` if the backup will be created.
    func passphrase(_ store: StoreOptions, isNew: Bool) async throws -> SecretBytes {
        try await store.passphrase(in: backupPassphraseFile, prompt: "Backup passphrase", isNew: isNew)
    }
}

struct BackupReport: Encodable {
    var items: Int
    /// The number of items that an export left out; `nil` after an import.
    var left: Int?

    func write(asJSON json: Bool) throws {
        if json { return try StandardOutput.write(json: self) }
        let counted = items == 1 ? "1 item" : "\(items) items"
        let rest = left.flatMap { $0 == 0 ? nil : "; \($0) \($0 == 1 ? "stays" : "stay") on this device" }
        try StandardOutput.write(line: counted + (rest ?? ""))
    }
}

struct ExportStore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write all items that may leave the device to one file under a passphrase.",
        discussion: """
            It tells how many items stay: those of the ...ThisDeviceOnly classes. Passcodes and the settings of App \
            Lock stay too, and are not counted.
            """
    )

    @OptionGroup var options: StoreOptions
    @OptionGroup var backup: BackupOptions
    @Option(help: "The backup's file.", completion: NameCompletion.file) var to: String

    func run() async throws {
        // An existing file is refused before any prompt. The export itself also overwrites no file.
        guard (try? FileManager.default.attributesOfItem(atPath: to)) == nil else {
            throw SecretStoreError(code: .alreadyExists, message: "the file is there already", path: to)
        }
        let credential = try await options.credential()
        let passphrase = try await backup.passphrase(options, isNew: true)
        try await options.perform(with: credential) { store in
            let counts = try await export(store, under: passphrase)
            try BackupReport(items: counts.items, left: counts.left).write(asJSON: backup.json)
        }
    }

    /// Exports the store. The export fails if an item of the backup is sealed: only the agent of an
    /// unlocked session can read the item, and the agent does not export a store.
    private func export(
        _ store: GcryptKeystore,
        under passphrase: SecretBytes
    ) async throws -> (items: Int, left: Int) {
        do { return try await store.writeBackup(to: to, passphrase: passphrase) } catch {
            guard error.code == .classLocked, store.isSealed else { throw error }
            throw SecretStoreError(
                code: .classLocked,
                message: "\(error.message): a sealed store is exported after `portcullis secret unseal` only",
                path: error.path
            )
        }
    }
}

struct ImportStore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Take in all items of a backup, in one commit."
    )

    @OptionGroup var options: StoreOptions
    @OptionGroup var backup: BackupOptions
    @Option(help: "The backup's file.", completion: NameCompletion.file) var from: String

    func run() async throws {
        let credential = try await options.credential(createsIfMissing: true)
        let passphrase = try await backup.passphrase(options, isNew: false)
        // A backup that cannot be opened makes no store.
        let opened = try await GcryptKeystore.backup(at: from, passphrase: passphrase)
        try await options.perform(with: credential, createsIfMissing: true) { store in
            let items = try await store.import(opened)
            try BackupReport(items: items).write(asJSON: backup.json)
        }
    }
}
