internal import AdapterKit
internal import ArgumentParser
internal import CronScheduler
internal import GcryptKeystore
internal import PortcullisCore
internal import ProgressSources

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What names there are, for a person who presses Tab.
enum NameCompletion {
    /// Names of secrets in the store and group that the line names.
    static let secrets = CompletionKind.custom { words, _, _ in
        let line = CompletionLine(words)
        return CompletionLine.answer(answer { try await secrets(line) })
    }

    /// Time zones.
    static let zones = CompletionKind.custom { _, _, _ in CompletionLine.answer(ZoneRules.allNames) }

    /// A file of any name.
    static let file = CompletionKind.file()

    /// What the work comes to, or nothing where it fails or takes longer than a person waits for a key to have an effect: an
    /// error would be written into the middle of a line that is being typed. The process then ends, and with it the work.
    private static func answer(_ work: @escaping @Sendable () async throws -> [String]) -> [String] {
        BoundedAnswer.of(within: 2_000, work) ?? []
    }

    /// A writer is waited for no longer: it may have written when the key is pressed once more.
    private static let patience = Duration.milliseconds(300)

    private static func secrets(_ line: CompletionLine) async throws -> [String] {
        // Nothing is asked for, and no passphrase is derived from.
        guard line.value(of: "--passphrase-file") == nil else { return [] }
        let environment = ProcessInfo.processInfo.environment
        let space = try SecretNamespace(line.value(of: "--namespace") ?? "default")
        guard !space.isLibraryOwned else { return [] }
        let file = try path(line.value(of: "--store"), environment) ?? StorePlaces.store(environment)
        // Beside anything else no lock file is made.
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

    /// A path as the shell would pass it on.
    private static func path(_ word: String?, _ environment: [String: String]) -> String? {
        guard let word, word.hasPrefix("~/"), let home = environment["HOME"] else { return word }
        return home + word.dropFirst()
    }
}

#if os(Linux)
extension NameCompletion {
    /// Apps that can be shut, of the account that the line names.
    static let apps = CompletionKind.custom { words, _, _ in
        let line = CompletionLine(words)
        return CompletionLine.answer(
            answer { try await catalogue(line).apps.map(\.token.rawValue) }
        )
    }

    /// Categories of apps.
    static let categories = CompletionKind.custom { words, _, _ in
        let line = CompletionLine(words)
        return CompletionLine.answer(
            answer { try await catalogue(line).categories.map(\.token.rawValue) }
        )
    }

    private static func catalogue(_ line: CompletionLine) async throws -> ShieldCatalogue {
        let account = line.value(of: "--account") ?? line.value(of: "--user")
        return await FocusCommand.Apps.catalogue(of: try SystemAccount.whoseProgramsAreShut(account))
    }
}
#endif
