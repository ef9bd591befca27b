import ArgumentParser
import Foundation
import Reporting

/// GcryptKeystore beside what people would use instead, and beside what the machine gives at best.
@main
struct KeystoreBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures GcryptKeystore beside its peers.",
        subcommands: [Compare.self, Work.self, LibsecretGets.self],
        defaultSubcommand: Compare.self
    )
}

/// What can be measured by itself.
enum Part: String, CaseIterable, ExpressibleByArgument {
    case put, writers, get, open, size, argon2, calls
}

/// Measures and reports.
struct Compare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(shouldDisplay: false)

    @Option(help: "How often each contestant has its turn.") var rounds = 5
    @Option(help: "What is measured (put, writers, get, open, size, argon2, calls); all when not given.")
    var only: [Part] = []
    @Option(help: "The most items that are put and read.") var items = 100_000
    @Option(help: "The most items that libsecret gets; 10,000 take a quarter of an hour.")
    var libsecretItems = 10_000
    @Option(help: "Where the files are that are measured.") var folder = FileManager.default
        .currentDirectoryPath
    @Option(help: "Writes the report to this file, too, and plots beside it.") var out: String?

    func run() async throws {
        let place = URL(fileURLWithPath: folder).appendingPathComponent(".keystore-benchmark-\(UUID())")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        let bench = Bench(
            folder: place,
            rounds: rounds,
            sizes: [10, 100, 1_000, 10_000, 100_000].filter { $0 <= items },
            libsecretItems: libsecretItems
        )
        let output = try Output(path: out)
        try output.begin("GcryptKeystore", CommandLine.arguments.dropFirst().joined(separator: " "))
        for part in Part.allCases where only.isEmpty || only.contains(part) {
            FileHandle.standardError.write(Data("measuring: \(part)\n".utf8))
            try await measure(part, bench, output)
        }
        try output.end(measuringIn: place.path)
    }

    private func measure(_ part: Part, _ bench: Bench, _ output: Output) async throws {
        switch part {
        case .put:
            let (table, plot) = try await Puts(bench: bench).run()
            try output.add(table.markdown, plot, part.rawValue)
        case .get:
            let (table, plot) = try await Gets(bench: bench).run()
            try output.add(table.markdown, plot, part.rawValue)
        case .writers: try output.add(try await Writers(bench: bench).run().markdown)
        case .open: try output.add(try await Opens(bench: bench).run().markdown)
        case .size: try output.add(try await Sizes(bench: bench).run().markdown)
        case .argon2: try output.add(try await Derivations(bench: bench).run().markdown)
        case .calls: try output.add(try await SystemCalls(bench: bench).run())
        }
    }
}
