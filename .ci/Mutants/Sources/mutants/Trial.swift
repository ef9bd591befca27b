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
    /// How long each test run takes without a fault.
    private let baselines = Mutex<[String: Baseline]>([:])
    private let leavesOutTool: Bool

    private final class Baseline: Sendable {
        /// Locked while it is found out.
        let seconds = Mutex<TimeInterval??>(nil)
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
            guard let seconds = try baseline(filter) else { continue }
            let limit = seconds * 3 + 30
            var failure = try tests.run(filter, fault: number, limit: limit)
            // The machine may have become busier since the run without a fault.
            if failure == tests.hang(filter) {
                failure = try tests.run(filter, fault: number, limit: limit * 3)
            }
            if let failure { return Result(number: number, fault: fault, noticed: "noticed: \(failure)") }
        }
        return Result(number: number, fault: fault, noticed: nil)
    }

    /// How long these tests take without a fault; nil: they fail, and so would say nothing of one.
    private func baseline(_ filter: String) throws -> TimeInterval? {
        let baseline = baselines.withLock { baselines in
            let baseline = baselines[filter] ?? Baseline()
            baselines[filter] = baseline
            return baseline
        }
        return try baseline.seconds.withLock { seconds in
            if let seconds { return seconds }
            for _ in 0..<Self.attempts {
                let start = ContinuousClock.now
                guard let failure = try tests.run(filter, fault: 0, limit: 1200) else {
                    let taken = Double((ContinuousClock.now - start).components.seconds + 1)
                    seconds = taken
                    return taken
                }
                Report.progress("without a fault, the tests \(filter) do not pass: \(failure)")
            }
            Report.progress("the tests \(filter) are left out")
            seconds = .some(nil)
            return nil
        }
    }

    /// A test may fail once on a busy machine.
    private static let attempts = 3
}
