internal import AdapterKit
internal import ArgumentParser
internal import Foundation
internal import PortcullisCore
internal import PortcullisTesting

/// Checks the adapters against the contracts of their ports, or uses the store.
@main
struct OwnAdapterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "own-adapter",
        abstract: "An adapter of one's own for each port, checked against the port's contract."
    )

    /// The ports, by their adapters.
    enum Port: String, CaseIterable, ExpressibleByArgument {
        case store, scheduler, shield, biometrics, notifier
    }

    @Option(help: "Check every clause of a port's contract, each on a new adapter.")
    var check: Port?

    @Option(help: "Count up so many times by compare-and-set, and print the count.")
    var count: Int?

    @Option(help: "The database to count in.")
    var file = "own-adapter.data/counter.sqlite"

    @Option(
        help:
            "The key that the database is sealed under; made together with it. (default: the database's name and .key)"
    )
    var keyFile: String?

    func validate() throws {
        guard (check != nil) != (count != nil) else { throw ValidationError("Choose --check or --count.") }
        if let count, count < 0 { throw ValidationError("--count takes a number of zero or more.") }
    }

    func run() async throws {
        if let count { try await countUp(count) }
        guard let check else { return }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("own-adapter-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let report =
            switch check {
            case .store:
                await ContractReport(of: SecretStoreContract.self) { clause throws(ContractViolation) in
                    try await clause.check(.onSealedSQLite(in: folder.path))
                }
            case .scheduler:
                await ContractReport(of: ActivitySchedulerContract.self) { clause throws(ContractViolation) in
                    try await clause.check(.onTimer)
                }
            case .shield:
                await ContractReport(of: ShieldControllerContract.self) { clause throws(ContractViolation) in
                    try await clause.check(.onHosts(in: folder.path))
                }
            case .biometrics:
                await ContractReport(of: BiometricAuthenticatorContract.self) {
                    clause throws(ContractViolation) in
                    try await clause.check(.behindPipe)
                }
            case .notifier:
                await ContractReport(of: NotifierContract.self) { clause throws(ContractViolation) in
                    try await clause.check(.toEndpoint)
                }
            }
        print(report)
        if !report.isKept { throw ExitCode(1) }
    }

    /// Counts up in the way that any feature changes its state: it reads, changes and writes, and repeats if
    /// another process was faster.
    private func countUp(_ times: Int) async throws {
        let stored = StoredValue<Int, any Error>(
            try SecretName("count", in: SecretNamespace("own-adapter")),
            in: try await SealedSQLite.open(file, keyFile: keyFile ?? file + ".key"),
            accessibility: .afterFirstUnlock,
            coding: StoredValue.Coding(
                encode: { count in SecretBytes(copying: "\(count)".utf8) },
                decode: { value in try Self.number(in: value) },
                failed: { $0 }
            )
        )
        for _ in 0..<times {
            _ = try await stored.update { count throws(any Error) in .write((count ?? 0) + 1, ()) }
        }
        print(try await stored.read()?.value ?? 0)
    }

    private static func number(in value: SecretBytes) throws(NoCount) -> Int {
        let text = value.withBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
        guard let number = Int(text), (0..<Int.max).contains(number) else { throw NoCount() }
        return number
    }
}

/// The error for an item that holds no such number. The item stays as it is.
struct NoCount: Error, CustomStringConvertible {
    var description: String { "the item “count” holds no number to count up from, and was left as it is" }
}
