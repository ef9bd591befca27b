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

    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    private let jobs: Int
    private let map: PackageMap
    private let tests: TestProgram
    /// How long each test run takes without a fault.
    private let baselines = Mutex<[String: TimeInterval]>([:])

    init(tree: SourceTree, jobs: Int) throws {
        self.jobs = jobs
        map = try PackageMap(folder: tree.copy)
        tests = try TestProgram(folder: tree.copy, package: map.name)
    }

    /// Tries each fault, and prints a line for each as soon as it is known.
    ///
    /// - Throws: ``Failed`` if a test run fails without a fault: what it noticed would say nothing.
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
            // Three times as long on a busy machine is not yet a hang.
            let limit = try baseline(filter) * 3 + 30
            if let failure = try tests.run(filter, fault: number, limit: limit) {
                return Result(number: number, fault: fault, noticed: "noticed: \(failure)")
            }
        }
        return Result(number: number, fault: fault, noticed: nil)
    }

    private func baseline(_ filter: String) throws -> TimeInterval {
        try baselines.withLock { baselines in
            if let known = baselines[filter] { return known }
            let start = ContinuousClock.now
            if let failure = try tests.run(filter, fault: 0, limit: 1200) {
                throw Failed(description: "without a fault, the tests \(filter) do not pass: \(failure)")
            }
            let seconds = Double((ContinuousClock.now - start).components.seconds + 1)
            baselines[filter] = seconds
            return seconds
        }
    }
}
