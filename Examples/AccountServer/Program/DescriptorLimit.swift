#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// How many files and connections this process may have open.
struct DescriptorLimit {
    /// The limit before.
    var before: Int
    /// The limit now.
    var now: Int

    /// Raises the limit as far as a process may do so without privileges, at most to 65,536.
    ///
    /// - Returns: the limits; `nil` if the system does not tell the limit. Then nothing is changed.
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
        // If the system refuses the new limit, the old one stays, and the bound on connections depends on it.
        if unsafe setrlimit(files, &limit) != 0 { limit.rlim_cur = before }
        return DescriptorLimit(before: Int(clamping: before), now: Int(clamping: limit.rlim_cur))
    }
}
