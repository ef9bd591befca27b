internal import LinuxSystem

/// How many files the process may have open.
enum DescriptorLimit {
    /// As many as every command needs at once, and some more. Below it libgcrypt and the clock would end the process.
    private static let least: UInt64 = 24

    /// Refuses to begin what could not be ended.
    ///
    /// - Parameter exit: the status with which the command fails.
    /// - Throws: a ``ToolFailure`` when the limit is too low.
    static func demand(orFailWith exit: ToolExit) throws {
        guard let limit = Descriptors.limit, limit < least else { return }
        throw ToolFailure(
            "\(limit) open files are too few (ulimit -n); it takes \(least) at least",
            exit
        )
    }
}
