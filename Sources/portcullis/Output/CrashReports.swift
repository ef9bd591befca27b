#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// What the process says of itself when it crashes.
enum CrashReports {
    /// Leaves crashes to the system.
    ///
    /// The language's own crash handler prints registers and the memory that they point at, which may be a
    /// passcode. A core dump leaves protected memory out; that handler cannot know of it.
    static func leaveToSystem() {
        for number in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGTRAP] {
            signal(number, SIG_DFL)
        }
    }
}
