import PortcullisTesting

extension BoundedWait {
    /// The bound of a wait for another process, which shares a busy machine with all other tests.
    static let processLimit = Duration.seconds(300)

    /// Waits until something holds that another process brings about.
    ///
    /// - Throws: as ``BoundedWait/until(_:limit:every:file:line:holds:)``.
    static func untilProcess(
        _ what: String,
        limit: Duration = processLimit,
        file: StaticString = #fileID,
        line: UInt = #line,
        holds condition: () -> Bool
    ) async throws {
        try await until(
            what,
            limit: limit,
            every: .milliseconds(10),
            file: file,
            line: line,
            holds: condition
        )
    }
}
