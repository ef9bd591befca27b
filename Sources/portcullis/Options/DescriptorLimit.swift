internal import LinuxSystem

/// The process's limit of open files.
enum DescriptorLimit {
    /// A limit that is enough. Below 24, libgcrypt ends the process; `guard` has 28 files open.
    private static let least: UInt64 = 32

    /// Refuses to start a command if the process's limit of open files is lower than ``least``.
    ///
    /// - Parameter exit: the exit status of the failure.
    /// - Throws: a ``ToolFailure`` if the limit is too low.
    static func demand(orFailWith exit: ToolExit) throws {
        guard let limit = Descriptors.limit, limit < least else { return }
        throw ToolFailure("\(limit) open files are too few (ulimit -n); it takes \(least) at least", exit)
    }
}
