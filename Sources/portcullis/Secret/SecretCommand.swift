internal import ArgumentParser

/// `portcullis secret …`: the encrypted keystore.
struct SecretCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secret",
        _superCommandName: "portcullis",
        abstract: "Keep secrets in an encrypted file.",
        discussion: """
            Values come from standard input and go to standard output as they are; they are never arguments. \
            The first set, import-lines or import makes the store and its key file.

            \(StorePlaces.shown)

            Of a sealed store (see `portcullis guard --help`) the whenUnlocked values can be read and set inside an \
            unlocked session only; elsewhere what reads or writes them leaves with 10. To export or import, unseal first.
            """,
        subcommands: [
            SetSecret.self, GetSecret.self, ListSecrets.self, RemoveSecret.self, ImportLines.self,
            CheckStore.self, SalvageStore.self, CompactStore.self, SlotsCommand.self,
            ExportStore.self, ImportStore.self, UnsealStore.self,
        ]
    )
}
