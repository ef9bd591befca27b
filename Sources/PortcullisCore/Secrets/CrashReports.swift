#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Controls the output of a process that crashes.
public enum CrashReports: Sendable {
    /// Resets the signals of a crash to the system's default action. A program that holds secrets calls this
    /// function when it starts.
    ///
    /// Swift's own crash handler prints registers and the memory that they point to, which may hold a passcode.
    /// A core dump leaves protected memory out, but Swift's handler does not know which memory is protected.
    public static func leaveToSystem() {
        for number in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGTRAP] {
            signal(number, SIG_DFL)
        }
    }
}
