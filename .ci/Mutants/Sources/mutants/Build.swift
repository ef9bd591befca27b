internal import Foundation
internal import Mutation

/// Builds the copy with as many faults as are wanted, dropping those that do not compile.
struct Build {
    private let tree: SourceTree
    private let sample: Sample
    private let count: Int
    /// Numbers of faults that do not compile.
    private var dropped: Set<Int> = []
    private var faults: [(number: Int, fault: Fault)] = []

    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    /// How often the faults of one step are thinned out before it is given up.
    private static let rounds = 15

    init(tree: SourceTree, sample: Sample, count: Int) {
        (self.tree, self.sample, self.count) = (tree, sample, count)
    }

    /// The faults that are in the build, in the order in which they were drawn.
    mutating func run() throws -> [(number: Int, fault: Fault)] {
        // What does not compile is replaced from the same draw, so that this is done once in most cases.
        var drawn = count + count / 5 + 5
        let known = Set(
            (try? String(contentsOf: memory, encoding: .utf8))?.split(separator: "\n").map(String.init) ?? []
        )
        dropped = Set(sample.all.filter { known.contains($0.fault.line($0.number)) }.map(\.number))
        while true {
            faults = sample.drawn(drawn, without: dropped)
            let isAll = faults.count < drawn
            try tree.write(faults)
            let modules = Set(faults.map { SourceTree.module(of: $0.fault.path) })
            if try !builds(["--build-tests"]) {
                // A module's own errors show when what it is built of compiles.
                for module in try PackageMap(folder: tree.copy).inOrder(modules) {
                    try thin(["--target", module])
                }
                try thin(["--build-tests"])
            }
            if faults.count >= count || isAll { return Array(faults.prefix(count)) }
            drawn += count
        }
    }

    /// Builds, and drops what does not compile until it does.
    private mutating func thin(_ arguments: [String]) throws {
        for _ in 0..<Self.rounds {
            let (status, text) = try build(arguments)
            if status == 0 { return }
            let culprits = culprits(in: text)
            if culprits.isEmpty {
                throw Failed(description: "the build failed, and not by a fault:\n" + text.suffix(4000))
            }
            Report.progress("\(culprits.count) of \(faults.count) faults do not compile")
            dropped.formUnion(culprits)
            try remember(faults.filter { culprits.contains($0.number) })
            faults.removeAll { culprits.contains($0.number) }
            try tree.write(faults)
        }
        throw Failed(description: "the build still fails after \(Self.rounds) rounds")
    }

    private func builds(_ arguments: [String]) throws -> Bool { try build(arguments).status == 0 }

    private func build(_ arguments: [String]) throws -> (status: Int32, text: String) {
        let all = ["build", "--package-path", tree.copy.path, "--disable-xctest"] + arguments
        let (status, output, errors) = try Command.run("swift", all, in: tree.copy)
        return (status, output + errors)
    }

    /// Where it is noted what did not compile, so that the same draw does not find it out again.
    private var memory: URL { tree.copy.appending(path: ".build/faults-that-do-not-compile") }

    private func remember(_ faults: [(number: Int, fault: Fault)]) throws {
        let lines = faults.map { $0.fault.line($0.number) + "\n" }.joined()
        let before = (try? String(contentsOf: memory, encoding: .utf8)) ?? ""
        try (before + lines).write(to: memory, atomically: true, encoding: .utf8)
    }

    /// The faults that stand where the compiler complains, or nearest to there in the same file.
    private func culprits(in output: String) -> Set<Int> {
        let message = /\/((?:Sources|Plugins)\/[^\s:]+\.swift):(\d+):\d+: error:/
        var found: Set<Int> = []
        for match in output.matches(of: message) {
            guard let line = Int(match.2) else { continue }
            let distances = faults.filter { $0.fault.path == match.1 }.map { number, fault in
                (number: number, distance: max(0, fault.line - line, line - fault.lastLine))
            }
            guard let least = distances.map(\.distance).min() else { continue }
            found.formUnion(distances.filter { $0.distance == least }.map(\.number))
        }
        return found
    }

}
