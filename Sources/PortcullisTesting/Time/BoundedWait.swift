/// Functions that wait in real time, up to a limit.
package enum BoundedWait {
    /// The error of a wait that reached its limit.
    package struct TimedOut: Error, CustomStringConvertible {
        /// The condition of the wait and its place in the source.
        package let description: String

        /// Makes the error of a wait whose condition did not become true.
        package init(description: String) { self.description = description }
    }

    /// The longest wait for other tasks, in real time. A number of yields would be no limit of time, because
    /// the duration of a yield depends on how busy the machine is. Only a failing test reaches the limit.
    package static let limit = Duration.seconds(120)

    /// Waits until a condition holds. Other tasks or processes make the condition true.
    ///
    /// - Parameters:
    ///   - what: the name of the condition in the error.
    ///   - limit: the longest wait.
    ///   - pause: the time between two checks; with `zero` the task only yields.
    /// - Throws: ``TimedOut`` when the condition does not hold in time; `CancellationError` when the task
    ///   is cancelled.
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
