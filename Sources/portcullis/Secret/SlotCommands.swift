internal import ArgumentParser
internal import GcryptKeystore
internal import PortcullisCore
internal import TPM

struct SlotsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "slots",
        abstract: "List, add and remove the ways to open the store.",
        subcommands: [ListSlots.self, AddSlot.self, RemoveSlot.self]
    )
}

/// The JSON of a key slot, which is one of the ways to open the store.
struct SlotReport: Encodable {
    var id: UInt32
    var kind: String
    var opens: String
    var memory: UInt32?
    var passes: UInt32?
    var lanes: UInt32?

    init(_ slot: KeystoreSlot) {
        id = slot.id
        kind = slot.kind.rawValue
        opens = slot.purpose.rawValue
        memory = slot.argon2?.memory
        passes = slot.argon2?.passes
        lanes = slot.argon2?.lanes
    }

    func write(asJSON json: Bool) throws {
        if json { return try StandardOutput.write(json: self) }
        let cost = memory.map { " (m=\($0),t=\(passes ?? 0),p=\(lanes ?? 0))" } ?? ""
        try StandardOutput.write(line: "\(id)\t\(kind)\t\(opens)\(cost)")
    }
}

struct ListSlots: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the ways to open the store.",
        aliases: ["ls"]
    )

    @OptionGroup var options: StoreOptions
    @Flag(help: "Answer in JSON.") var json = false

    func run() async throws {
        try await options.perform(with: try await options.credential()) { store in
            for slot in try await store.slots() { try SlotReport(slot).write(asJSON: json) }
            guard store.isSealed, !json else { return }
            try StandardOutput.write(
                line: "sealed: whenUnlocked values open with the slots for whenUnlocked only"
            )
        }
    }
}

struct AddSlot: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a passphrase, a key file, or with --tpm a key in a TPM; nothing is encrypted anew."
    )

    @OptionGroup var options: StoreOptions
    @Option(
        help: "A new passphrase, in the first line of this file; - is standard input.",
        completion: NameCompletion.file
    )
    var newPassphraseFile: String?
    @Option(help: "A new key file; made when it is not there.", completion: NameCompletion.file)
    var newKeyFile: String?
    @Flag(help: "Answer in JSON.") var json = false

    func validate() throws {
        guard newPassphraseFile == nil || newKeyFile == nil else {
            throw ValidationError("--new-passphrase-file and --new-key-file exclude each other")
        }
        guard newPassphraseFile != nil || newKeyFile != nil || options.tpm != nil else {
            throw ValidationError("name one of --new-passphrase-file, --new-key-file and --tpm")
        }
    }

    func run() async throws {
        try await options.perform(with: try await options.credential()) { store in
            let credential: KeystoreCredential
            if newPassphraseFile == nil, newKeyFile == nil, let tpm = options.tpm {
                let slot = try await store.addSlot(protectedBy: TPMKeyProtector(tpm.address))
                return try SlotReport(slot).write(asJSON: json)
            }
            if let newPassphraseFile {
                credential = .passphrase(
                    try await options.passphrase(in: newPassphraseFile, prompt: "New passphrase", isNew: true)
                )
            } else {
                credential = .keyFile(newKeyFile ?? "")
            }
            try SlotReport(try await store.addSlot(credential)).write(asJSON: json)
        }
    }
}

struct RemoveSlot: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a way to open the store.",
        aliases: ["rm"]
    )

    @OptionGroup var options: StoreOptions
    @Argument(help: "The slot's number, as listed.") var id: UInt32
    @Flag(help: "Also the slot of the default key file, and the last one: then all is lost for good.")
    var force = false

    func run() async throws {
        try await options.perform(with: try await options.credential()) { store in
            let slots = try await store.slots()
            guard let slot = slots.first(where: { $0.id == id }) else {
                return try await store.removeSlot(id)
            }
            if slot.purpose == .whenUnlocked,
                slots.count(where: { $0.purpose == .whenUnlocked && $0.kind == slot.kind }) == 1
            {
                // The seal has no other slot of this kind, and needs both kinds. Without the key's slot, the
                // passcode opens nothing. Without a passphrase's slot, a forgotten passcode means that the
                // sealed data is lost.
                throw ToolFailure("slot \(id) goes with the seal only: portcullis secret unseal", .usage)
            }
            let isLast = slot.purpose == .store && slots.count(where: { $0.purpose == .store }) == 1
            let loss = isLast ? Self.lossOfAll : await loss(of: slot, store)
            if let loss, !force {
                throw ToolFailure(
                    "slot \(id) was not removed. Without it, \(loss). --force removes it all the same",
                    .usage
                )
            }
            // Another process may have removed slots since they were listed. A slot that was not the last one
            // then is not removed as the last one, because the loss would be another.
            try await store.removeSlot(id, evenIfLast: isLast)
            if let loss { StandardError.write("portcullis: slot \(id) is gone: \(loss)") }
        }
    }

    private static let lossOfAll = "nothing opens the store any more, and all that it holds is lost for good"

    /// Describes the loss that removing a slot would cause, if other slots remain; `nil` if nothing would be
    /// lost. A loss is described only if the default key file exists and opens this slot.
    private func loss(of slot: KeystoreSlot, _ store: GcryptKeystore) async -> String? {
        guard slot.purpose == .store, let path = try? StorePlaces.keyFile(Arguments.environment),
            let usual = try? await store.slot(for: .keyFile(path)), usual.id == slot.id
        else { return nil }
        return
            "the default key file opens the store no more, and each command needs --key-file or --passphrase-file"
    }
}
