#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// How many files and connections this process may have open.
struct DescriptorLimit {
    /// What it was.
    var before: Int
    /// What it is.
    var now: Int

    /// Raises the limit as far as the system lets a process do it by itself, and to 65,536 at most.
    ///
    /// - Returns: `nil` when the system does not tell; nothing is changed then.
    static func raise() -> DescriptorLimit? {
        var limit = rlimit()
        #if canImport(Glibc)
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let files = RLIMIT_NOFILE
        #endif
        guard unsafe getrlimit(files, &limit) == 0 else { return nil }
        let before = limit.rlim_cur
        limit.rlim_cur = max(before, min(limit.rlim_max, 65_536))
        // Refused, the old limit holds, and the bound on connections goes by that.
        if unsafe setrlimit(files, &limit) != 0 { limit.rlim_cur = before }
        return DescriptorLimit(before: Int(clamping: before), now: Int(clamping: limit.rlim_cur))
    }
}
