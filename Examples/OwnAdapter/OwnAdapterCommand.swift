internal import AdapterKit
internal import ArgumentParser
internal import Foundation
internal import PortcullisCore
internal import PortcullisTesting

/// Checks the store against its contract, or uses it.
@main
struct OwnAdapterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "own-adapter",
        abstract: "A secret store on SQLite, checked against the contract of its port."
    )

    @Flag(help: "Check every clause of the contract, each on a new database in a temporary folder.")
    var check = false

    @Option(help: "Count up so many times by compare-and-set, and print the count.")
    var count: Int?

    @Option(help: "The database to count in.")
    var file = "own-adapter.data/counter.sqlite"

    func validate() throws {
        guard check != (count != nil) else { throw ValidationError("Choose --check or --count.") }
        if let count, count < 0 { throw ValidationError("--count takes a number of zero or more.") }
    }

    func run() async throws {
        if let count { try await countUp(count) } else { try await checkClauses() }
    }

    private func checkClauses() async throws {
        var isKept = true
        for clause in SecretStoreContract.allCases {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
                "own-adapter-\(UUID())"
            )
            defer { try? FileManager.default.removeItem(at: folder) }
            do throws(ContractViolation) {
                switch try await clause.check(.onSQLite(in: folder.path) { $0 }) {
                case .kept: print("\(clause.id)  kept            \(clause.prose)")
                case .notApplicable(let reason): print("\(clause.id)  does not apply  \(reason)")
                }
            } catch {
                isKept = false
                print("\(clause.id)  NOT KEPT        \(error.finding)")
            }
        }
        if !isKept { throw ExitCode(1) }
    }

    /// What any feature does with its state: read it, change it, and start again if another process was faster.
    private func countUp(_ times: Int) async throws {
        let stored = StoredValue<Int, any Error>(
            try SecretName("count", in: SecretNamespace("own-adapter")),
            in: try await SQLiteStore.open(file),
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

/// The item holds something else; it stays as it is.
struct NoCount: Error, CustomStringConvertible {
    var description: String { "the item “count” holds no number to count up from, and was left as it is" }
}
