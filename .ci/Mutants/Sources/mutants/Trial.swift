internal import Dispatch
internal import Foundation
internal import Mutation
internal import Synchronization

/// Runs the tests for each fault, and says for each what noticed it.
final class Trial: Sendable {
    struct Result: Sendable {
        let number: Int
        let fault: Fault
        /// What noticed it; nil: nothing did.
        let noticed: String?
    }

    private let jobs: Int
    private let map: PackageMap
    private let tests: TestProgram
    /// How each test run ends without a fault.
    private let baselines = Mutex<[String: Baseline]>([:])
    private let leavesOutTool: Bool

    private final class Baseline: Sendable {
        struct Run: Sendable {
            /// Generous, as the machine may become busier.
            let limit: TestProgram.Limit
            /// Tests that fail without a fault, and so would say nothing of one.
            let failed: Set<String>
        }

        /// Locked while it is found out.
        let run = Mutex<Run??>(nil)
    }

    init(tree: SourceTree, jobs: Int, leavesOutTool: Bool) throws {
        self.jobs = jobs
        self.leavesOutTool = leavesOutTool
        map = try PackageMap(folder: tree.copy)
        tests = try TestProgram(folder: tree.copy, package: map.name)
    }

    /// Tries each fault, and prints a line for each as soon as it is known.
    func run(_ faults: [(number: Int, fault: Fault)]) throws -> [Result] {
        let next = Mutex(0)
        let outcomes = Mutex<(results: [Result], failure: (any Error)?)>(([], nil))
        DispatchQueue.concurrentPerform(iterations: jobs) { _ in
            while true {
                let index = next.withLock { index in
                    defer { index += 1 }
                    return index
                }
                guard index < faults.count, outcomes.withLock({ $0.failure == nil }) else { return }
                do {
                    let result = try attempt(faults[index].number, faults[index].fault)
                    outcomes.withLock { $0.results.append(result) }
                    Report.line("\(result.fault.line(result.number))  \(result.noticed ?? "SURVIVED")")
                } catch {
                    outcomes.withLock { $0.failure = error }
                }
            }
        }
        return try outcomes.withLock { outcomes in
            if let failure = outcomes.failure { throw failure }
            return outcomes.results
        }
    }

    private func attempt(_ number: Int, _ fault: Fault) throws -> Result {
        for filter in map.testRuns(for: SourceTree.module(of: fault.path)) {
            if leavesOutTool, filter.hasPrefix("^ToolTests") { continue }
            guard let baseline = try baseline(filter) else { continue }
            let outcome = try tests.run(
                filter,
                fault: number,
                limit: baseline.limit,
                ignoring: baseline.failed
            )
            if let failure = outcome.failed.min() ?? outcome.abort {
                return Result(number: number, fault: fault, noticed: "noticed: \(failure)")
            }
        }
        return Result(number: number, fault: fault, noticed: nil)
    }

    /// How these tests end without a fault; nil: not at all, so that they would say nothing of one.
    private func baseline(_ filter: String) throws -> Baseline.Run? {
        let baseline = baselines.withLock { baselines in
            let baseline = baselines[filter] ?? Baseline()
            baselines[filter] = baseline
            return baseline
        }
        return try baseline.run.withLock { found in
            if let found { return found }
            for _ in 0..<Self.attempts {
                let start = ContinuousClock.now
                let outcome = try tests.run(
                    filter,
                    fault: 0,
                    limit: TestProgram.Limit(whole: 1200, silence: 300),
                    ignoring: nil
                )
                guard outcome.abort == nil else {
                    Report.progress("without a fault, \(outcome.abort ?? "")")
                    continue
                }
                for test in outcome.failed.sorted() {
                    Report.progress("left out, as it fails without a fault: \(test)")
                }
                let seconds = (ContinuousClock.now - start) / .seconds(1)
                let limit = TestProgram.Limit(
                    whole: seconds * 6 + 60,
                    silence: outcome.longestSilence * 4 + 40
                )
                let run = Baseline.Run(limit: limit, failed: outcome.failed)
                found = run
                return run
            }
            Report.progress("the tests \(filter) are left out")
            found = .some(nil)
            return nil
        }
    }

    /// The tests may crash once on a busy machine.
    private static let attempts = 3
}
