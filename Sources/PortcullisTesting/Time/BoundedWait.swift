/// Waits of a test in real time, each with a bound.
package enum BoundedWait {
    /// A wait whose bound was reached.
    package struct TimedOut: Error, CustomStringConvertible {
        /// What was waited for, and where.
        package let description: String

        /// A wait that ended without what was waited for.
        package init(description: String) { self.description = description }
    }

    /// The bound of a wait for other tasks. It is one of real time, because how often a busy machine has to yield says
    /// nothing, and it passes only where something is wrong.
    package static let limit = Duration.seconds(120)

    /// Waits until a condition holds that other tasks or processes bring about.
    ///
    /// - Parameters:
    ///   - what: what is waited for, as the error tells it.
    ///   - limit: how long the condition may take.
    ///   - pause: the time between two looks; `zero` gives the turn to other tasks instead.
    /// - Throws: ``TimedOut`` when it does not hold in time; `CancellationError` when the test is over.
    package static func until(
        _ what: String = "the condition",
        limit: Duration = limit,
        every pause: Duration = .zero,
        file: StaticString = #fileID,
        line: UInt = #line,
        holds condition: () async throws -> Bool
    ) async throws {
        let due = ContinuousClock.now + limit
        while try await !condition() {
            try Task.checkCancellation()
            guard ContinuousClock.now < due else {
                throw TimedOut(description: "\(file):\(line) waited in vain for \(what)")
            }
            if pause == .zero { await Task.yield() } else { try await Task.sleep(for: pause) }
        }
    }
}
