/// Waits of a test in real time, each with a bound.
package enum Patience {
    /// What was waited for did not come about.
    package struct InVain: Error, CustomStringConvertible {
        /// Where the test waited.
        package let description: String
    }

    /// The longest wait. It is one of real time, because how often a busy machine has to yield says nothing, and it
    /// passes only where something is wrong.
    private static let limit = Duration.seconds(120)

    /// Waits until something holds that other tasks bring about, and gives them their turns.
    ///
    /// - Throws: ``InVain`` when it does not hold in time; `CancellationError` when the test is over.
    package static func wait(
        file: StaticString = #fileID,
        line: UInt = #line,
        until condition: () async throws -> Bool
    ) async throws {
        let due = ContinuousClock.now + limit
        while try await !condition() {
            try Task.checkCancellation()
            guard ContinuousClock.now < due else {
                throw InVain(description: "\(file):\(line) waited in vain")
            }
            await Task.yield()
        }
    }
}
