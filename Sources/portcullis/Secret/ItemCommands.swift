internal import ArgumentParser
internal import GcryptKeystore
internal import PortcullisCore
internal import SealedSession
internal import TerminalHost

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

struct SetSecret: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Keep a value: standard input as it is, or a hidden prompt at a terminal."
    )

    @OptionGroup var options: ItemOptions
    @Argument(help: "The item's name.", completion: NameCompletion.secrets) var name: String
    @Option(help: ArgumentHelp("When the item can be read.", valueName: "class"))
    var accessibility = AccessibilityArgument(.whenUnlocked)
    @Flag(help: "Keep a value of no bytes, which is refused else.")
    var allowEmpty = false

    func run() async throws {
        let name = try options.name(name)
        let credential = try await options.store.credential(createsIfMissing: true)
        let value = try await SecretInput().everything(prompt: "Value")
        // An empty value may come from a failed program, because a pipe does not report the failure.
        guard value.count > 0 || allowEmpty else {
            throw ToolFailure(
                "the value is empty, and nothing was changed; --allow-empty keeps an empty one",
                .usage
            )
        }
        try await options.perform(with: credential, createsIfMissing: true) { store in
            let outcome = try await store.write(value, to: name, accessibility: accessibility.accessibility)
            guard options.json, case .written(let version) = outcome else { return }
            try StandardOutput.write(json: SecretReport(name: name.name, version: version.rawValue))
        }
    }
}

struct GetSecret: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Write a value to standard output, its bytes as they are; on a terminal a line of its own."
    )

    @OptionGroup var options: ItemOptions
    @Argument(help: "The item's name.", completion: NameCompletion.secrets) var name: String

    func run() async throws {
        let name = try options.name(name)
        try await options.perform { store in
            guard let found = try await store.read(name) else { throw ToolFailure("no secret \(name)", .no) }
            guard options.json else { return try Self.write(found.value) }
            let value = found.value.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe Data($0) } }
            try StandardOutput.write(
                json: SecretReport(
                    name: name.name,
                    value: value.base64EncodedString(),
                    version: found.version.rawValue,
                    accessibility: found.accessibility.description
                )
            )
        }
    }
}

extension GetSecret {
    /// Writes a value unchanged. On a terminal, a line end follows, unless the value is empty or ends with
    /// one. So the shell's prompt begins on its own line.
    private static func write(_ value: SecretBytes) throws {
        try StandardOutput.write(value)
        let endsLine = value.withBytes { $0.isEmpty || $0[$0.count - 1] == UInt8(ascii: "\n") }
        if StandardOutput.isTerminal, !endsLine { try StandardOutput.write(line: "") }
    }
}

struct ListSecrets: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the names, one on a line.",
        discussion: "What a terminal would obey is replaced in a name; with --json names are as they are.",
        aliases: ["ls"]
    )

    @OptionGroup var options: ItemOptions

    func run() async throws {
        let space = try options.space()
        do {
            try await options.perform { store in
                for name in try await store.names(in: space) {
                    if options.json {
                        try StandardOutput.write(json: SecretReport(name: name.name))
                    } else {
                        try StandardOutput.write(line: ForeignText.line(name.name))
                    }
                }
            }
        } catch let error as SecretStoreError where error.code == .missingStore {
            // A missing store counts as an empty store. If the path was given on the command line, it may be
            // mistyped. A message then shows the path.
            if options.store.store != nil {
                StandardError.write("portcullis: there is no store yet: \(try options.store.path())")
            }
        }
    }
}

struct RemoveSecret: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove an item; its bytes leave the file at the next compaction.",
        aliases: ["rm"]
    )

    @OptionGroup var options: ItemOptions
    @Argument(help: "The item's name.", completion: NameCompletion.secrets) var name: String

    func run() async throws {
        let name = try options.name(name)
        try await options.perform { store in
            guard try await store.remove(name) == .removed else {
                throw ToolFailure("no secret \(name)", .no)
            }
            if options.json { try StandardOutput.write(json: SecretReport(name: name.name)) }
        }
    }
}

/// The JSON of an item. Members that do not apply are left out.
struct SecretReport: Encodable {
    var name: String
    /// The value in base64.
    var value: String?
    var version: UInt64?
    var accessibility: String?
}
