#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The exit statuses of the programs that this process starts.
package enum ChildStatuses {
    /// Makes the system keep the exit statuses until this process asks for them.
    ///
    /// A program that ignores SIGCHLD passes this setting on to the programs that it starts. A process
    /// with this setting gets no exit statuses of its own programs. So a program that failed looks like
    /// one that succeeded.
    package static func keep() { signal(SIGCHLD, SIG_DFL) }
}
