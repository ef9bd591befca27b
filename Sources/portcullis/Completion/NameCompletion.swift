internal import AdapterKit
internal import ArgumentParser
internal import CommandCompletion
internal import CronScheduler
internal import GcryptKeystore
internal import PortcullisCore
internal import ProgressSources

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Lists names for the completion of a word.
enum NameCompletion {
    /// The names of the secrets. The command line determines the store and the namespace.
    static let secrets = CompletionKind.custom { words, _, _ in
        let line = CompletionLine(words)
        return CompletionLine.answer(answer { try await secrets(line) })
    }

    static let zones = CompletionKind.custom { _, _, _ in CompletionLine.answer(ZoneRules.allNames) }

    static let file = CompletionKind.file()

    /// Returns the result of the work; no words if the work fails or takes longer than 2 s. An error is not
    /// reported, because its message would be written into the line that the person is typing. The process
    /// ends after the answer, and unfinished work ends with it.
    private static func answer(_ work: @escaping @Sendable () async throws -> [String]) -> [String] {
        BoundedAnswer.of(within: 2_000, work) ?? []
    }

    /// The longest wait for another process that writes to the store. The wait can be short, because the
    /// person can press the completion key again.
    private static let patience = Duration.milliseconds(300)

    private static func secrets(_ line: CompletionLine) async throws -> [String] {
        // A completion asks for no passphrase, so with a passphrase file it lists no names.
        guard line.value(of: "--passphrase-file") == nil else { return [] }
        let environment = Arguments.environment
        let space = try SecretNamespace(line.value(of: "--namespace") ?? "default")
        guard !space.isLibraryOwned else { return [] }
        let file = try path(line.value(of: "--store"), environment) ?? StorePlaces.store(environment)
        // Opening a store makes a lock file in the same folder. Such a file must not appear beside a device
        // or a pipe, so only regular files are opened.
        let type = try FileManager.default.attributesOfItem(atPath: file)[.type] as? FileAttributeType
        guard type == .typeRegular else { return [] }
        let store = try await GcryptKeystore.open(
            KeystoreConfiguration(
                path: file,
                credential: .keyFile(
                    try path(line.value(of: "--key-file"), environment) ?? StorePlaces.keyFile(environment)
                ),
                createsIfMissing: false,
                lockTimeout: patience
            )
        )
        let names = try await store.names(in: space).map(\.name)
        await store.close()
        return names
    }

    /// Replaces `~` at the start of a path by the home folder, as the shell does before it starts a command.
    private static func path(_ word: String?, _ environment: [String: String]) -> String? {
        guard let word, word.hasPrefix("~/"), let home = environment["HOME"] else { return word }
        return home + word.dropFirst()
    }
}

#if os(Linux)
extension NameCompletion {
    /// The apps that can be shut, for the account that the command line names.
    static let apps = CompletionKind.custom { words, _, _ in
        let line = CompletionLine(words)
        return CompletionLine.answer(answer { try await catalogue(line).apps.map(\.token.rawValue) })
    }

    static let categories = CompletionKind.custom { words, _, _ in
        let line = CompletionLine(words)
        return CompletionLine.answer(answer { try await catalogue(line).categories.map(\.token.rawValue) })
    }

    private static func catalogue(_ line: CompletionLine) async throws -> ShieldCatalogue {
        let account = line.value(of: "--account") ?? line.value(of: "--user")
        return await FocusCommand.Apps.catalogue(of: try SystemAccount.whoseProgramsAreShut(account))
    }
}
#endif
