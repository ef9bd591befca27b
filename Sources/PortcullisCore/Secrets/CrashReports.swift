#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// What a process says of itself when it crashes.
public enum CrashReports: Sendable {
    /// Leaves crashes to the system: the signals of a crash do what they do by default. For the start of a program that holds
    /// secrets.
    ///
    /// The language's own crash handler prints registers and the memory that they point at, which may be a
    /// passcode. A core dump leaves protected memory out; that handler cannot know of it.
    public static func leaveToSystem() {
        for number in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGTRAP] {
            signal(number, SIG_DFL)
        }
    }
}
