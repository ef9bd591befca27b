#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The statuses with which the programs end that this process starts.
package enum ChildStatuses {
    /// Makes the system keep the statuses until this process asks for them.
    ///
    /// A program that ignores SIGCHLD passes this on to the programs that it starts. Such a process gets no
    /// status of its own programs, so a program that failed looks like one that succeeded.
    package static func keep() { signal(SIGCHLD, SIG_DFL) }
}
