internal import ArgumentParser
internal import Foundation
internal import Mutation

/// Puts a sample of faults into one build, and tells which of them the tests do not notice.
@main
struct Mutants: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: ".ci/mutants",
        abstract: "Puts a sample of one-line faults into one build and lists those that no test notices.",
        discussion: """
            Each fault is switched on by an environment variable, so that one build serves all. For each, the tests of its \
            module run first, then those of what depends on it, up to the first that fails, crashes or hangs. The same seed \
            and the same sources give the same faults, with the same numbers.

            It needs what the tests need, the network once for swift-syntax, and room for a debug build of its own under \
            .build/mutants, which is kept: the first run takes minutes longer. It runs on Linux as root, or where users may \
            make namespaces: a faulty shield stops any process that it sees, so the tests see none but their own.
            """
    )

    @Option(help: "Which faults are drawn; any number.")
    var seed: UInt64

    @Option(help: "How many faults are drawn.")
    var count = 100

    @Option(help: "How many faults are tried at the same time.")
    var jobs = 1

    @Option(help: "How many of a hundred faults have to be noticed.")
    var threshold = 95.0

    @Option(help: "Try only the faults with these numbers, separated by commas, of those that are drawn.")
    var only: String?

    @Option(help: "Where the copy with the faults lies. (default: .build/mutants/tree)")
    var tree: String?

    @Flag(
        help: "Leave out the tests of the tool, which take longest; what survives may yet be noticed by them."
    )
    var withoutTool = false

    @Flag(help: "List the faults that would be drawn; what does not compile is among them.")
    var list = false

    @Argument(
        help: "Folders or files. (default: Sources and Plugins without the tool and the terminal screens)"
    )
    var paths: [String] = []

    func validate() throws {
        guard count > 0 else { throw ValidationError("--count has to be 1 or more") }
        guard jobs > 0 else { throw ValidationError("--jobs has to be 1 or more") }
    }

    func run() throws {
        let root = URL(filePath: FileManager.default.currentDirectoryPath)
        let copy = try SourceTree(root: root, place: tree.map { URL(filePath: $0) })
        let faults = try copy.sources(in: paths).flatMap { path in
            FaultFinder.faults(in: copy.original(path), path: path)
        }
        let sample = Sample(faults, seed: seed)
        if list {
            for (number, fault) in sample.drawn(count, without: []) { Report.line(fault.line(number)) }
            return
        }
        var build = Build(tree: copy, sample: sample, count: count)
        let drawn = try build.run()
        let numbers = try only.map { try Self.numbers($0) }
        let trial = try Trial(tree: copy, jobs: jobs, leavesOutTool: withoutTool)
        let results = try trial.run(drawn.filter { numbers?.contains($0.number) ?? true })
        try summarise(results)
    }

    private static func numbers(_ text: String) throws -> Set<Int> {
        Set(
            try text.split(separator: ",").map {
                guard let number = Int($0) else { throw ValidationError("not a number: \($0)") }
                return number
            }
        )
    }

    private func summarise(_ results: [Trial.Result]) throws {
        let modules = Dictionary(grouping: results) { SourceTree.module(of: $0.fault.path) }
        for (module, results) in modules.sorted(by: { $0.key < $1.key }) {
            Report.line("\(module): \(results.count { $0.noticed != nil }) of \(results.count)")
        }
        let survivors = results.count { $0.noticed == nil }
        let noticed = results.count - survivors
        Report.line("\(results.count) faults: \(noticed) noticed, \(survivors) survived, seed \(seed)")
        if Double(noticed) < threshold / 100 * Double(results.count) { throw ExitCode.failure }
    }
}

extension Fault {
    /// One line of the list.
    func line(_ number: Int) -> String {
        func short(_ text: String) -> String {
            let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            return line.count > 70 ? line.prefix(69) + "…" : line
        }
        return "\(number)  \(path):\(line)  \(kind.rawValue)  \(short(before)) → \(short(after))"
    }
}
