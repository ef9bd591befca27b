#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// How many files the process may have open.
enum DescriptorLimit {
    /// As many as every command needs at once, and some more. Below it libgcrypt and the clock would end the process.
    private static let least: UInt64 = 24

    /// Refuses to begin what could not be ended.
    ///
    /// - Parameter exit: the status with which the command fails.
    /// - Throws: a ``ToolFailure`` when the limit is too low.
    static func demand(orFailWith exit: ToolExit) throws {
        var limit = rlimit()
        #if canImport(Glibc)
        let status = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
        let status = unsafe getrlimit(RLIMIT_NOFILE, &limit)
        #endif
        guard status == 0, limit.rlim_cur < least else { return }
        throw ToolFailure(
            "\(limit.rlim_cur) open files are too few (ulimit -n); it takes \(least) at least",
            exit
        )
    }
}
