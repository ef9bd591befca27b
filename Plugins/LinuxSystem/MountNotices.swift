#if os(Linux)
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Notices of the kernel that a file system was mounted or unmounted where this process sees it
/// (proc_pid_mountinfo(5)).
package final class MountNotices: Sendable {
    /// The descriptor. After a change, exactly one wait for ``DescriptorEvents/exceptional`` finds the
    /// descriptor ready. The caller need not read from it.
    package let descriptor: Int32

    /// Makes an instance that reports the changes from now on.
    ///
    /// - Throws: ``SystemCallError`` if the kernel's table of mounts cannot be opened.
    package init() throws(SystemCallError) {
        let table = unsafe open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
        descriptor = Descriptors.aboveStandard(table)
        guard descriptor >= 0 else { throw SystemCallError(errno: errno, call: "open") }
    }

    deinit { close(descriptor) }
}
#endif
